"""The closed list of reason codes. RULES.md explains each; a test holds the two lists together."""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Why a verdict is what it is. Codes are stable; new ones may be added, none renamed."""

    STATED = "STATED"  # one unit says all of it
    STATED_IN_RECORD = "STATED_IN_RECORD"  # units of one record say all of it together
    ENTAILED_BOUND = "ENTAILED_BOUND"  # "more than 70" over a stated 73.9
    LOWER_TIER_DISAGREES = "LOWER_TIER_DISAGREES"  # a less authoritative source says otherwise; shown, not decisive
    SUPERSEDES_EARLIER = "SUPERSEDES_EARLIER"  # the source changes an earlier one that says otherwise
    VALUE_DIFFERS = "VALUE_DIFFERS"
    CURRENCY_DIFFERS = "CURRENCY_DIFFERS"
    UNIT_DIFFERS = "UNIT_DIFFERS"
    DATE_DIFFERS = "DATE_DIFFERS"
    PLACE_DIFFERS = "PLACE_DIFFERS"
    IDENTIFIER_DIFFERS = "IDENTIFIER_DIFFERS"
    QUALIFIER_DIFFERS = "QUALIFIER_DIFFERS"  # monthly against quarterly, net against gross
    POLARITY_DIFFERS = "POLARITY_DIFFERS"  # the source denies it, excludes it or rejected it
    PARTY_DIFFERS = "PARTY_DIFFERS"  # the source says it of another party
    SUPERSEDED = "SUPERSEDED"  # a later document of the same tier changed it
    SOURCES_DISAGREE = "SOURCES_DISAGREE"  # a source of equal or higher tier says otherwise
    PART_CONTRADICTED = "PART_CONTRADICTED"  # of a compound claim, one part
    PART_UNCONFIRMED = "PART_UNCONFIRMED"
    NO_SOURCE = "NO_SOURCE"  # nothing in the folder speaks of it
    TERM_MISSING = "TERM_MISSING"  # the nearest unit lacks a word of the claim
    NAME_UNKNOWN = "NAME_UNKNOWN"
    NAME_NEAR_MISS = "NAME_NEAR_MISS"  # a similar name is another company or person
    VALUE_MISSING = "VALUE_MISSING"  # no source gives such a figure for it
    VALUE_AMBIGUOUS = "VALUE_AMBIGUOUS"  # the unit holds several such figures and does not say which
    NO_ARITHMETIC = "NO_ARITHMETIC"  # the figure could only be computed
    BOUND_DIFFERS = "BOUND_DIFFERS"  # up to 200 is not 200
    PERIOD_MISSING = "PERIOD_MISSING"
    ONLY_PROPOSED = "ONLY_PROPOSED"  # a proposal, plan, draft or forecast
    ONLY_REPORTED = "ONLY_REPORTED"  # somebody said so
    ONLY_PERMITTED = "ONLY_PERMITTED"  # may is not did
    ONLY_OBLIGED = "ONLY_OBLIGED"  # shall is not did
    CONDITION_OMITTED = "CONDITION_OMITTED"  # the source says it under a condition only
    POLARITY_UNCLEAR = "POLARITY_UNCLEAR"
    EMPTY_CLAIM = "EMPTY_CLAIM"
    CLAIM_TOO_LONG = "CLAIM_TOO_LONG"  # more than one statement can hold; nothing was compared
