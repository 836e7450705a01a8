"""One book in somebody's hands."""

from dataclasses import dataclass
from datetime import date, timedelta

from lending.catalogue import Book
from lending.members import Member

PERIOD = timedelta(days=28)


@dataclass
class Loan:
    """A book that a member has taken home."""

    book: Book
    member: Member
    since: date

    @property
    def due(self) -> date:
        """The day by which the book has to be back."""
        return self.since + PERIOD

    def is_overdue(self, today: date) -> bool:
        """Whether the book should have been back before today."""
        return today > self.due
