"""The desk of a small library."""

from lending.catalogue import Book, Catalogue
from lending.desk import Desk
from lending.loans import Loan
from lending.members import Member

__all__ = ["Book", "Catalogue", "Desk", "Loan", "Member"]
