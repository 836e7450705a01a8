"""Fees: a file without a licence line, which `licence.missing` finds."""


def fee(days_late: int) -> int:
    # FIXME: nobody pays more than the book costs
    return max(0, days_late) * 20  # TODO: read the rate from the settings
