"""The desk from the outside."""

import unittest
from datetime import date, timedelta

from lending import Book, Catalogue, Desk, Member
from lending.catalogue import UnknownBook
from lending.desk import LimitReached
from lending.reminders import reminders


class DeskTest(unittest.TestCase):
    """Lending, returning, reminding."""

    def setUp(self) -> None:
        catalogue = Catalogue()
        for number, title in enumerate(["Emma", "Persuasion"]):
            catalogue.add(Book(f"A{number}", title, "Jane Austen"))
        self.desk = Desk(catalogue)
        self.member = Member(7, "Ada", limit=1)
        self.today = date(2026, 1, 1)

    def test_limit(self) -> None:
        self.desk.lend("A0", self.member, self.today)
        with self.assertRaises(LimitReached):
            self.desk.lend("A1", self.member, self.today)
        self.desk.take_back("A0")
        self.desk.lend("A1", self.member, self.today)

    def test_unknown_book(self) -> None:
        with self.assertRaises(UnknownBook):
            self.desk.lend("B9", self.member, self.today)

    def test_reminder(self) -> None:
        loan = self.desk.lend("A0", self.member, self.today)
        self.assertEqual(reminders(self.desk, loan.due), [])
        letters = reminders(self.desk, loan.due + timedelta(days=2))
        self.assertEqual(letters, ["Dear Ada, “Emma” has been due for 2 days."])


if __name__ == "__main__":
    unittest.main()
