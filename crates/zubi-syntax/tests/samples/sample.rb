module Money
  MAX = 9
  # A rate.
  class Rate < Base
    attr_reader :value, :unit
    def initialize(value)
      @value = value
    end
    def self.make(x) = new(x)
    class << self
      def other; end
    end
    def price?
      1
    end
    alias cost price?
  end
end
def total(rates) end
