#include "money.h"
namespace money::inside {
template <typename T>
class Rate : public Base {
 public:
  explicit Rate(int v) : value_(v) {}
  ~Rate();
  virtual int price() const = 0;
  static constexpr int kMax = 9;
  T operator+(const T& other) const { return other; }
  operator bool() const { return true; }
  friend class Other;
  enum class Kind { Fixed, Floating };
 private:
  int value_, other_;
  struct Inner { int a; };
};

using Rates = std::vector<Rate<int>>;
typedef int number;
template <typename T> T twice(T x) { return x * 2; }
concept Small = true;
}

int money::inside::Rate<int>::price() const { return 1; }
money::Rate::~Rate() {}
int global = 1;
auto lambda = [](int x) { return x; };
namespace alias = money::inside;
extern "C" { int c_function(void); }
class Forward;
