"""Money."""
import os

MAX: int = 9
COUNT = 0
left, (right, *rest) = 1, (2, 3)
first = second = COUNT
sys.path, items[0] = 1, 2


class Rate(Base):
    """A rate."""

    value: int = 1
    unit = "EUR"

    def __init__(self, value: int) -> None:
        self.value = value

    @property
    def price(self) -> int:
        """The price."""
        def inner():
            return 1
        return inner()

    class Inner:
        pass


@cache
async def run(rates: list[Rate]) -> None:
    local = 1


type Rates = list[Rate]

if os.name == "nt":
    def only_windows(): ...
else:
    FLAG = True
