"""Where books change hands."""

from datetime import date

from lending.catalogue import Catalogue
from lending.loans import Loan
from lending.members import Member


class LimitReached(Exception):
    """The member has as many books as allowed."""


class Desk:
    """Lends books of one catalogue and takes them back."""

    def __init__(self, catalogue: Catalogue) -> None:
        self._catalogue = catalogue
        self._loans: list[Loan] = []

    def lend(self, mark: str, member: Member, today: date) -> Loan:
        """Hand a book to a member."""
        borrowed = sum(loan.member == member for loan in self._loans)
        if not member.may_borrow(borrowed):
            raise LimitReached(member.name)
        loan = Loan(self._catalogue.find(mark), member, today)
        self._loans.append(loan)
        return loan

    def take_back(self, mark: str) -> None:
        """Put a book back on its shelf."""
        book = self._catalogue.find(mark)
        self._loans = [loan for loan in self._loans if loan.book != book]

    def overdue(self, today: date) -> list[Loan]:
        """Loans that are late, the latest first."""
        late = [loan for loan in self._loans if loan.is_overdue(today)]
        return sorted(late, key=lambda loan: loan.due)
