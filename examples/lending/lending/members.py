"""Who may borrow."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Member:
    """Somebody with a library card."""

    card: int
    name: str
    limit: int = 3

    def may_borrow(self, borrowed: int) -> bool:
        """Whether one more book is within this member's limit."""
        return borrowed < self.limit
