defmodule Money.Rate do
  @moduledoc "A rate."
  @max 9
  defstruct [:value, unit: "EUR"]
  @type t :: %__MODULE__{}
  @callback price(t) :: integer
  @doc "The price."
  @spec price(t) :: integer
  def price(%__MODULE__{value: value}) when value > 0 do
    value
  end
  defp hidden(x), do: x
  defmacro twice(x) do
    x
  end
  defguard is_small(x) when x < 9
  defdelegate size(x), to: Enum
  defmodule Inner do
  end
  def zero, do: 0
end
defprotocol Priced do
  def cost(x)
end
defimpl Priced, for: Integer do
  def cost(x), do: x
end
