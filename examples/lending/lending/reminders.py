"""Letters to those who are late."""

from datetime import date

from lending.desk import Desk
from lending.loans import Loan


def reminder(loan: Loan, today: date) -> str:
    """One friendly letter."""
    days = (today - loan.due).days
    return f"Dear {loan.member.name}, “{loan.book.title}” has been due for {days} days."


def reminders(desk: Desk, today: date) -> list[str]:
    """A letter for every loan that is late."""
    return [reminder(loan, today) for loan in desk.overdue(today)]
