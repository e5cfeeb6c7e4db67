"""Crowds whose every answer is known: their people, and what depends on what."""

from __future__ import annotations

import pickle
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

import sottovoce as sv
from sottovoce.simulation.crowds import BUILDING, CROWDS, HELD_OUT, LOOKED_AT, Crowd, Population
from sottovoce.simulation.crowds.allotments import COLONIES
from sottovoce.simulation.crowds.debtors import HOUSEHOLDS
from sottovoce.simulation.crowds.donors import NOTES

PEOPLE = 40_000
SPINNER_PASTE = ("spinner", "paste")
EACH = pytest.mark.parametrize("crowd", CROWDS.values(), ids=CROWDS)
ENTWINED = [crowd for crowd in CROWDS.values() if crowd.together]


def test_every_crowd_is_for_building_or_was_looked_at_or_is_held_out_and_two_are() -> None:
    assert len(CROWDS) >= 5
    assert len(HELD_OUT) == 2
    assert sorted((*BUILDING, *LOOKED_AT, *HELD_OUT)) == sorted(CROWDS)


@EACH
def test_a_crowd_has_six_to_ten_mixed_attributes_and_columns_of_one_length(crowd: Crowd) -> None:
    table = crowd.draw(500, seed=1)
    assert 6 <= len(crowd.schema.attributes) <= 10
    assert {sv.Ordinal, sv.Numeric, sv.Categorical} == {type(attribute) for attribute in crowd.schema.attributes}
    assert tuple(table) == crowd.schema.names
    assert {column.shape for column in table.values()} == {(500,)}


@EACH
def test_the_same_seed_gives_the_same_people_and_another_seed_others(crowd: Crowd) -> None:
    first, again, other = (crowd.draw(300, seed=seed) for seed in (4, 4, 5))
    for name in crowd.schema.names:
        np.testing.assert_array_equal(first[name], again[name])
    assert any(not np.array_equal(first[name], other[name]) for name in crowd.schema.names)


@EACH
def test_a_collection_can_be_simulated_from_a_crowd(crowd: Crowd) -> None:
    plan = sv.Plan.create(crowd.schema, epsilon=1.0, users=2_000, mechanism="calm")
    assert sv.simulate(plan, crowd.draw(1_000, seed=0), users=2_000, seed=0).total == 2_000


@EACH
def test_levels_are_those_that_the_schema_gives_one_record_at_a_time(crowd: Crowd) -> None:
    table = crowd.draw(200, seed=2)
    population = Population(crowd.schema, table)
    for row in range(200):
        record = {name: table[name][row].item() for name in crowd.schema.names}
        assert crowd.schema.levels(record) == tuple(population.levels[name][row] for name in crowd.schema.names)


@EACH
def test_every_value_of_every_category_occurs_and_some_group_is_small(crowd: Crowd) -> None:
    table = crowd.draw(PEOPLE, seed=0)
    shares = []
    for attribute in crowd.schema.attributes:
        if isinstance(attribute, sv.Categorical):
            values, counts = np.unique(table[attribute.name], return_counts=True)
            assert set(values) == set(attribute.values)
            shares += (counts / PEOPLE).tolist()
    assert 0.01 < min(shares) < 0.04


@EACH
def test_money_and_other_nullable_numbers_are_missing_for_some_and_known_for_some(crowd: Crowd) -> None:
    nullable = [attribute.name for attribute in crowd.schema.attributes if attribute.accepts_null]
    table = crowd.draw(PEOPLE, seed=0)
    assert nullable
    for name in nullable:
        assert 0.02 < np.isnan(table[name]).mean() < 0.9


@EACH
def test_pairs_called_related_are_more_strongly_associated_than_chance(crowd: Crowd) -> None:
    # chi-square of two dependent attributes at 40,000 people, seed 0; a pair without dependence would pass once in 1e6
    population = Population(crowd.schema, crowd.draw(PEOPLE, seed=0))
    for first, second in crowd.related:
        assert chance(population, first, second) < 1e-6, (first, second)


@pytest.mark.parametrize("crowd", ENTWINED, ids=lambda crowd: crowd.name)
def test_three_that_depend_on_each_other_only_as_three_are_independent_in_pairs(crowd: Crowd) -> None:
    # seed 0 of each; three chi-square tests in each crowd at 1e-4: a false alarm once in 1,000 sets of seeds
    population = Population(crowd.schema, crowd.draw(PEOPLE, seed=0))
    for first, second in combinations(crowd.together, 2):
        assert chance(population, first, second) > 1e-4
    outcome, *by = (population.levels[name] for name in crowd.together)
    parity = by[0] ^ by[1]
    gap = outcome[parity == 0].mean() - outcome[parity == 1].mean()
    assert abs(gap) > 0.3


def test_three_crowds_have_a_dependence_of_three_of_which_one_is_held_out() -> None:
    names = {crowd.name for crowd in ENTWINED}
    assert len(names) >= 3
    assert names & set(HELD_OUT)


@pytest.mark.parametrize(("crowd", "name"), [("commuting", "handedness"), ("health", "blood"), ("staff", "floor")])
def test_an_attribute_that_goes_with_nothing_is_independent_of_all_others(crowd: str, name: str) -> None:
    # seed 0; at most nine tests in each crowd at 1e-4: a false alarm less than three times in 1,000 sets of seeds
    population = Population(CROWDS[crowd].schema, CROWDS[crowd].draw(PEOPLE, seed=0))
    for other in CROWDS[crowd].schema.names:
        if other != name:
            assert chance(population, name, other) > 1e-4, other


@pytest.mark.parametrize(
    ("crowd", "number", "by"),
    [
        *(("commuting", "minutes", "district"), ("health", "body_mass", "clinic"), ("telemetry", "wait", "country")),
        *(("visitors", "stayed", "home"), ("farms", "income", "district"), ("donors", "amount", "cause")),
        *(("players", "minutes", "sport"), ("players", "fee", "sport"), ("pets", "minutes", "animal")),
        *(("repairs", "price", "thing"), ("repairs", "years", "thing"), ("anglers", "longest", "sought")),
        *(("anglers", "minutes", "sought"), ("concerts", "price", "music"), ("concerts", "age", "music")),
        *(("brigades", "calls", "station"), ("debtors", "owed", "cause"), ("debtors", "age", "cause")),
        *(("allotments", "area", "colony"), ("allotments", "paid", "colony"), ("lodgers", "price", "town")),
        *(("parcels", "price", "goods"), ("parcels", "age", "goods"), ("victims", "age", "offence")),
        *(("seekers", "earned", "trade"), ("senders", "years", "country")),
    ],
)
def test_means_by_a_category_of_many_values_differ_and_do_not_follow_the_list(crowd: str, number: str, by: str) -> None:
    table = CROWDS[crowd].draw(PEOPLE, seed=0)
    categories = next(a.values for a in CROWDS[crowd].schema.attributes if a.name == by)
    means = [np.nanmean(table[number][table[by] == value]) for value in categories]
    assert np.ptp(means) > 0.8 * np.nanstd(table[number])
    assert abs(stats.spearmanr(means, range(len(means))).statistic) < 0.4


@pytest.mark.parametrize(
    ("crowd", "name", "step", "share"),
    [
        *(("commuting", "minutes", 5, 0.7), ("visitors", "stayed", 30, 0.5), ("farms", "harvest", 7, 0.5)),
        *(("players", "minutes", 30, 0.6), ("pets", "minutes", 15, 0.6), ("repairs", "minutes", 15, 0.5)),
        *(("anglers", "minutes", 60, 0.6), ("concerts", "way", 15, 0.5), ("brigades", "calls", 5, 0.5)),
        *(("debtors", "weeks", 4, 0.5), ("allotments", "waited", 12, 0.6), ("carers", "hours", 5, 0.4)),
        *(("mothers", "fed", 4, 0.4), ("senders", "minutes", 5, 0.5)),
    ],
)
def test_times_and_counts_are_said_in_round_numbers(crowd: str, name: str, step: int, share: float) -> None:
    assert (CROWDS[crowd].draw(PEOPLE, seed=0)[name] % step == 0).mean() > share


@pytest.mark.parametrize("other", ["district", "crop"])
def test_the_age_of_farmers_goes_with_no_district_and_no_crop(other: str) -> None:
    # seed 0; two tests at 1e-4
    assert chance(Population(CROWDS["farms"].schema, CROWDS["farms"].draw(PEOPLE, seed=0)), "age", other) > 1e-4


def test_watering_goes_with_income_only_within_districts() -> None:
    table = CROWDS["farms"].draw(PEOPLE, seed=0)
    income, watered, deviation = table["income"], table["watering"] != "none", np.nanstd(table["income"])

    def gap(rows: NDArray[np.bool_]) -> float:
        return float((np.nanmean(income[rows & watered]) - np.nanmean(income[rows & ~watered])) / deviation)

    assert abs(gap(np.full(PEOPLE, fill_value=True))) < 0.1
    assert gap(table["district"] == "Lyme") > 0.3
    assert gap(table["district"] == "Bleake") < -0.3


def test_half_of_the_gifts_that_are_remembered_are_notes() -> None:
    amount = CROWDS["donors"].draw(PEOPLE, seed=0)["amount"]
    assert np.isin(amount[~np.isnan(amount)], NOTES).mean() > 0.5


@pytest.mark.parametrize("other", ["cause", "channel", "age", "gifts", "standing_order", "hours", "trust"])
def test_the_letter_that_donors_got_by_lot_goes_with_nothing_but_the_amount(other: str) -> None:
    # seed 0; seven tests at 1e-4: a false alarm less than once in 1,000 sets of seeds
    assert chance(Population(CROWDS["donors"].schema, CROWDS["donors"].draw(PEOPLE, seed=0)), "letter", other) > 1e-4


def test_the_letter_that_promises_to_double_gifts_raises_them_a_little() -> None:
    table = CROWDS["donors"].draw(PEOPLE, seed=0)
    doubled, deviation = table["letter"] == "doubled", np.nanstd(table["amount"])
    gap = np.nanmean(table["amount"][doubled]) - np.nanmean(table["amount"][~doubled])
    assert 0.05 < gap / deviation < 0.3


@pytest.mark.parametrize("other", ["animal", "origin", "age", "minutes", "visits", "bill", "insured", "worry"])
def test_the_season_in_which_a_pet_was_born_goes_with_nothing(other: str) -> None:
    # seed 0; eight tests at 1e-4: a false alarm less than once in 1,000 sets of seeds
    assert chance(Population(CROWDS["pets"].schema, CROWDS["pets"].draw(PEOPLE, seed=0)), "born", other) > 1e-4


def test_visits_to_the_vet_follow_the_age_of_pets_down_and_up_again() -> None:
    table = CROWDS["pets"].draw(PEOPLE, seed=0)
    cats = table["animal"] == "cat"
    young, grown, old = (
        table["visits"][cats & (table["age"] >= low) & (table["age"] <= high)].mean()
        for low, high in ((0, 1), (6, 8), (14, 25))
    )
    assert min(young, old) > 1.3 * grown
    assert abs(np.corrcoef(table["visits"], table["age"])[0, 1]) < 0.1


def test_half_of_what_is_not_mended_takes_the_whole_hour() -> None:
    table = CROWDS["repairs"].draw(PEOPLE, seed=0)
    mended, hour = table["mended"] == "yes", table["minutes"] == 60
    assert hour[~mended].mean() > 0.5
    assert hour[mended].mean() < 0.1


def test_the_longest_fish_is_known_of_nobody_who_caught_none_and_of_most_who_did() -> None:
    table = CROWDS["anglers"].draw(PEOPLE, seed=0)
    caught, told = table["fish"] > 0, ~np.isnan(table["longest"])
    assert not told[~caught].any()
    assert 0.9 < told[caught].mean() < 1.0


def test_which_bait_catches_more_depends_on_the_fish_that_anglers_are_after() -> None:
    table = CROWDS["anglers"].draw(PEOPLE, seed=0)

    def ratio(sought: str) -> float:
        means = [table["fish"][(table["sought"] == sought) & (table["bait"] == bait)].mean() for bait in SPINNER_PASTE]
        return float(means[0] / means[1])

    assert ratio("pike") > 2
    assert ratio("carp") < 0.5
    assert 0.7 < ratio("anything") < 1.3


@pytest.mark.parametrize("other", ["sought", "bait", "fish", "longest", "spent", "content"])
def test_a_licence_that_was_checked_goes_with_the_minutes_and_hardly_with_anything_else(other: str) -> None:
    population = Population(CROWDS["anglers"].schema, CROWDS["anglers"].draw(PEOPLE, seed=0))
    assert population.association("checked", other) < population.association("checked", "minutes") < 0.15


@pytest.mark.parametrize("other", ["age", "price", "drinks"])
def test_coming_again_to_a_concert_goes_with_no_age_price_or_drinks(other: str) -> None:
    # seed 0; three tests at 1e-4
    assert chance(Population(CROWDS["concerts"].schema, CROWDS["concerts"].draw(PEOPLE, seed=0)), "again", other) > 1e-4


def test_company_at_a_concert_follows_age_and_families_come_in_the_middle() -> None:
    table = CROWDS["concerts"].draw(PEOPLE, seed=0)
    family, age = table["company"] == "family", table["age"]
    young, middle, old = (family[(age >= low) & (age <= high)].mean() for low, high in ((16, 30), (36, 48), (55, 80)))
    assert middle > 1.8 * max(young, old)
    assert (table["company"] == "friends")[age < 30].mean() > 2 * (table["company"] == "friends")[age >= 55].mean()


def test_years_served_in_a_brigade_fit_into_those_since_sixteen_and_spirit_is_lowest_ten_years_after_joining() -> None:
    table = CROWDS["brigades"].draw(PEOPLE, seed=0)
    served, low = table["served"], table["spirit"] <= 3
    assert (served <= table["age"] - 16 + 5).all()  # rounded to tens
    first, tenth, late = (low[(served >= a) & (served <= b)].mean() for a, b in ((0, 3), (8, 12), (20, 50)))
    assert tenth > 1.8 * max(first, late)


def test_nobody_without_work_and_no_pupil_is_asked_for_lost_earnings_and_most_others_lost_none() -> None:
    table = CROWDS["brigades"].draw(PEOPLE, seed=0)
    asked, told = ~np.isin(table["trade"], ("none", "school")), ~np.isnan(table["lost"])
    assert not told[~asked].any()
    assert 0.8 < told[asked].mean() < 1.0
    assert (table["lost"][told] == 0).mean() > 0.6


@pytest.mark.parametrize("other", ["trade", "age", "served", "shifts", "children"])
def test_the_station_of_a_volunteer_goes_with_no_trade_age_years_shifts_or_children(other: str) -> None:
    # seed 0; five tests at 1e-4
    crowd = CROWDS["brigades"]
    assert chance(Population(crowd.schema, crowd.draw(PEOPLE, seed=0)), "station", other) > 1e-4


def test_debts_rise_with_creditors_within_each_common_cause_and_much_less_over_all() -> None:
    table = CROWDS["debtors"].draw(PEOPLE, seed=0)
    owed, creditors, told = np.log(table["owed"]), table["creditors"], ~np.isnan(table["owed"])

    def rise(rows: NDArray[np.bool_]) -> float:
        return float(np.corrcoef(owed[rows & told], creditors[rows & told])[0, 1])

    assert abs(rise(np.full(PEOPLE, fill_value=True))) < 0.25
    for cause in ("job loss", "illness", "separation", "low pay", "overspending", "business"):
        assert rise(table["cause"] == cause) > 0.3, cause


def test_incomes_of_debtors_heap_at_the_rate_that_benefits_have_in_their_household() -> None:
    table = CROWDS["debtors"].draw(PEOPLE, seed=0)
    for household, rate in zip(HOUSEHOLDS, (1020, 1460, 1980, 1650, 860), strict=True):
        assert (np.abs(table["income"][table["household"] == household] - rate) <= 20).mean() > 0.2, household


@pytest.mark.parametrize("other", ["cause", "household", "age", "income", "owed", "creditors", "instalment", "worry"])
def test_weeks_that_debtors_wait_go_with_seized_wages_and_hardly_with_anything_else(other: str) -> None:
    population = Population(CROWDS["debtors"].schema, CROWDS["debtors"].draw(PEOPLE, seed=0))
    assert population.association("weeks", other) < 0.03
    assert 0.1 < population.association("weeks", "seized") < 0.2


def test_half_of_the_gardens_of_every_colony_that_are_known_have_one_area() -> None:
    table = CROWDS["allotments"].draw(PEOPLE, seed=0)
    for colony in COLONIES:
        areas = table["area"][(table["colony"] == colony) & ~np.isnan(table["area"])]
        assert 0.45 < np.unique(areas, return_counts=True)[1].max() / len(areas) < 0.7, colony


def test_who_waited_for_no_allotment_mostly_took_it_over_and_is_not_asked_what_was_paid() -> None:
    table = CROWDS["allotments"].draw(PEOPLE, seed=0)
    untold, waited = np.isnan(table["paid"]), table["waited"] > 0
    assert untold[~waited].mean() > 0.6
    assert untold[waited].mean() < 0.15


@pytest.mark.parametrize("other", ["colony", "age", "waited", "area", "paid"])
def test_mulch_on_an_allotment_goes_with_no_colony_age_months_area_or_sum(other: str) -> None:
    # seed 0; five tests at 1e-4
    crowd = CROWDS["allotments"]
    assert chance(Population(crowd.schema, crowd.draw(PEOPLE, seed=0)), "mulched", other) > 1e-4


def test_a_bed_in_summer_is_dearer_by_the_sea_and_cheaper_elsewhere_and_much_the_same_over_all() -> None:
    table = CROWDS["lodgers"].draw(PEOPLE, seed=0)
    price, summer, deviation = table["price"], np.isin(table["month"], ("July", "August")), np.nanstd(table["price"])

    def gap(rows: NDArray[np.bool_]) -> float:
        return float((np.nanmean(price[rows & summer]) - np.nanmean(price[rows & ~summer])) / deviation)

    assert abs(gap(np.full(PEOPLE, fill_value=True))) < 0.15
    assert gap(table["town"] == "Skegness") > 0.3
    assert gap(table["town"] == "Arness") < -0.3


def test_who_bathes_stays_whole_weeks_and_who_works_from_monday_to_friday() -> None:
    table = CROWDS["lodgers"].draw(PEOPLE, seed=0)
    bathing, work = (table["purpose"] == purpose for purpose in ("bathing", "work"))
    assert (table["nights"][bathing] % 7 == 0).mean() > 0.5
    assert (table["nights"][work] % 7 == 4).mean() > 0.4


def test_dormitories_are_bad_for_the_sleep_of_parties_that_do_not_fill_them() -> None:
    table = CROWDS["lodgers"].draw(PEOPLE, seed=0)
    dormitory, large, slept = table["bed"] == "dormitory", table["party"] >= 4, table["slept"]
    assert slept[~dormitory & ~large].mean() - slept[dormitory & ~large].mean() > 0.5
    assert abs(slept[~dormitory & large].mean() - slept[dormitory & large].mean()) < 0.2


def test_round_the_clock_is_said_and_hours_are_uncounted_under_one_roof() -> None:
    table = CROWDS["carers"].draw(PEOPLE, seed=0)
    roof, hours = table["roof"] == "yes", table["hours"]
    assert (hours[roof] == 168).mean() > 0.08
    assert not (hours[~roof] == 168).any()
    assert np.isnan(hours[roof]).mean() > 3 * np.isnan(hours[~roof]).mean()


def test_couples_often_do_not_know_what_care_costs_and_two_in_five_who_do_spend_nothing() -> None:
    table = CROWDS["carers"].draw(PEOPLE, seed=0)
    couple, untold = np.isin(table["person"], ("husband", "wife")), np.isnan(table["spent"])
    assert untold[couple].mean() > 0.4
    assert untold[~couple].mean() < 0.12
    assert 0.35 < (table["spent"][~untold] == 0).mean() < 0.5


def test_hardly_anybody_thinks_of_a_nursing_home_for_a_child_and_many_do_with_dementia() -> None:
    table = CROWDS["carers"].draw(PEOPLE, seed=0)
    thought = table["nursing_home"] == "yes"
    assert thought[table["person"] == "child"].mean() < 0.15
    assert thought[table["illness"] == "dementia"].mean() > 0.5


def test_most_prices_end_just_below_fives_and_tens_and_those_of_private_sellers_do_not() -> None:
    table = CROWDS["parcels"].draw(PEOPLE, seed=0)
    told, private = ~np.isnan(table["price"]), table["shop"] == "private"
    below = np.isclose(table["price"] % 5, 4.95)
    assert below[told & ~private].mean() > 0.6
    assert not below[private].any()


def test_only_who_sent_a_parcel_back_is_asked_for_the_refund_and_some_still_wait() -> None:
    table = CROWDS["parcels"].draw(PEOPLE, seed=0)
    back, told = table["sent_back"] == "yes", ~np.isnan(table["refund"])
    assert not told[~back].any()
    assert 0.8 < told[back].mean() < 0.9


def test_an_invoice_goes_with_sending_back_for_what_is_worn_and_for_nothing_else() -> None:
    table = CROWDS["parcels"].draw(PEOPLE, seed=0)
    worn, invoice = np.isin(table["goods"], ("clothes", "shoes")), table["paid"] == "invoice"
    back = table["sent_back"] == "yes"
    assert back[worn & invoice].mean() - back[worn & ~invoice].mean() > 0.2
    assert abs(back[~worn & invoice].mean() - back[~worn & ~invoice].mean()) < 0.02


def test_a_week_or_two_is_forgiven_to_a_shop_abroad_and_five_days_are_not_to_a_marketplace() -> None:
    table = CROWDS["parcels"].draw(PEOPLE, seed=0)
    stars, days, shop = table["stars"], table["days"], table["shop"]
    abroad = stars[(shop == "abroad") & (days >= 7) & (days <= 14)].mean()
    assert abroad > stars[(shop == "marketplace") & (days >= 5)].mean() + 0.5


@pytest.mark.parametrize("other", ["days", "refund", "stars", "sent_back"])
def test_how_many_parcels_came_goes_hardly_with_days_refund_stars_and_sending_back(other: str) -> None:
    population = Population(CROWDS["parcels"].schema, CROWDS["parcels"].draw(PEOPLE, seed=0))
    assert population.association("parcels", other) < 0.05


def test_births_at_home_know_no_section_and_no_vacuum_and_two_clinics_take_most_early_children() -> None:
    table = CROWDS["mothers"].draw(PEOPLE, seed=0)
    home, early = table["place"] == "home", table["week"] <= 34
    assert set(table["birth"][home]) == {"in water", "spontaneous"}
    assert np.isin(table["place"][early], ("General", "University")).mean() > 0.5
    assert np.isin(table["place"][~early], ("General", "University")).mean() < 0.3


def test_a_hurried_section_spoils_a_first_birth_and_hardly_a_later_one() -> None:
    table = CROWDS["mothers"].draw(PEOPLE, seed=0)
    first, urgent, felt = table["child"] == 1, table["birth"] == "urgent section", table["cared_for"]
    usual = table["birth"] == "spontaneous"
    assert felt[usual & first].mean() - felt[urgent & first].mean() > 0.7
    assert felt[usual & ~first].mean() - felt[urgent & ~first].mean() < 0.4


def test_sections_are_liked_where_they_are_common_and_not_where_they_are_rare() -> None:
    table = CROWDS["mothers"].draw(PEOPLE, seed=0)
    section, felt = np.isin(table["birth"], ("planned section", "urgent section")), table["cared_for"]
    common, rare = (np.isin(table["place"], names) for names in (("Trinity", "Ferry Road"), ("Holy Cross", "Victoria")))
    assert section[common].mean() > 2 * section[rare].mean()
    gaps = [felt[place & section].mean() - felt[place & ~section].mean() for place in (common, rare)]
    assert gaps[0] - gaps[1] > 0.5


def test_young_mothers_do_not_know_what_was_spent_and_who_smoked_has_lighter_children() -> None:
    table = CROWDS["mothers"].draw(PEOPLE, seed=0)
    untold, age, smoked = np.isnan(table["spent"]), table["age"], table["smoked"] == "yes"
    assert untold[age <= 24].mean() > 2.5 * untold[age >= 35].mean()
    assert 120 < np.nanmean(table["weight"][~smoked]) - np.nanmean(table["weight"][smoked]) < 260


def test_some_offences_happen_in_one_place_only() -> None:
    table = CROWDS["victims"].draw(PEOPLE, seed=0)
    for offence, place in (("burglary", "home"), ("online fraud", "online"), ("workplace theft", "work")):
        assert (table["place"][table["offence"] == offence] == place).mean() > 0.95
    assert not (table["place"][table["offence"] == "mugging"] == "online").any()


def test_a_loss_is_not_asked_of_the_beaten_and_adds_up_less_often_if_not_reported() -> None:
    table = CROWDS["victims"].draw(PEOPLE, seed=0)
    unasked = np.isin(table["offence"], ("assault", "harassment", "stalking", "threat"))
    untold, reported = np.isnan(table["loss"]), table["reported"] == "yes"
    assert untold[unasked].all()
    assert untold[~unasked & ~reported].mean() > 2 * untold[~unasked & reported].mean()


def test_half_of_what_was_done_with_a_card_is_made_good() -> None:
    table = CROWDS["victims"].draw(PEOPLE, seed=0)
    loss, card = table["loss"], table["offence"] == "card fraud"
    assert (loss[card & ~np.isnan(loss)] == 0).mean() > 0.5
    assert (loss[table["offence"] == "burglary"] == 0).mean() == 0


def test_the_old_are_more_afraid_except_of_what_happened_online() -> None:
    table = CROWDS["victims"].draw(PEOPLE, seed=0)
    old, online, afraid = table["age"] >= 60, table["place"] == "online", table["afraid"]
    fraud, damage = table["offence"] == "online fraud", table["offence"] == "vandalism"
    assert afraid[damage & ~online & old].mean() - afraid[damage & ~online & (table["age"] < 40)].mean() > 0.3
    assert abs(afraid[fraud & online & old].mean() - afraid[fraud & online & (table["age"] < 40)].mean()) < 0.1


def test_who_looks_for_work_says_just_ten_applications_in_the_first_year_and_none_if_ill() -> None:
    table = CROWDS["seekers"].draw(PEOPLE, seed=0)
    ten, none, year = table["applied"] == 10, table["applied"] == 0, table["months"] < 12
    ill = table["ended"] == "illness or care"
    assert ten[year].mean() > 2 * ten[~year].mean()
    assert none[ill].mean() > 3 * none[~ill].mean()


def test_many_applications_mean_hope_in_the_first_year_and_the_contrary_later() -> None:
    table = CROWDS["seekers"].draw(PEOPLE, seed=0)
    many, few, hope = table["applied"] >= 15, table["applied"] <= 5, table["hope"]
    early, late = table["months"] < 9, table["months"] >= 18
    assert hope[early & many].mean() - hope[early & few].mean() > 0.3
    assert hope[late & many].mean() - hope[late & few].mean() < -0.3


def test_those_without_children_who_look_for_work_are_young_or_old_and_few_tell_the_wage_of_a_first_job() -> None:
    table = CROWDS["seekers"].draw(PEOPLE, seed=0)
    alone, age, never = table["children"] == "no", table["age"], table["ended"] == "first job"
    shares = [((age[alone] >= low) & (age[alone] < low + 8)).mean() for low in (21, 34, 47)]
    assert min(shares[0], shares[2]) > 1.5 * shares[1]
    assert np.isnan(table["earned"][never]).mean() > 0.8
    assert np.isnan(table["earned"][~never]).mean() < 0.15


def test_a_small_job_is_paid_at_one_rate_in_some_trades() -> None:
    table = CROWDS["seekers"].draw(PEOPLE, seed=0)
    rate = table["earned"] == 520
    assert rate[table["trade"] == "cleaner"].mean() > 0.3
    assert rate[table["trade"] == "electrician"].mean() < 0.03


def test_money_goes_by_bus_to_near_countries_and_half_of_those_who_use_a_bank_do_not_know_the_fee() -> None:
    table = CROWDS["senders"].draw(PEOPLE, seed=0)
    near, bank = np.isin(table["country"], ("Albania", "Bosnia", "Moldova")), table["way"] == "bank"
    assert near[table["way"] == "bus"].mean() > 0.7
    untold = np.isnan(table["fee"])
    assert 0.4 < untold[bank].mean() < 0.55
    assert untold[~bank].mean() < 0.1


def test_an_app_pleases_where_everybody_is_paid_by_telephone_and_not_elsewhere() -> None:
    table = CROWDS["senders"].draw(PEOPLE, seed=0)
    app, content = table["way"] == "app", table["content"]
    phones, cash = (
        np.isin(table["country"], names)
        for names in (("Kenya", "Senegal", "Ghana"), ("Lebanon", "Bosnia", "Sri Lanka"))
    )
    gaps = [content[place & app].mean() - content[place & ~app].mean() for place in (phones, cash)]
    assert gaps[0] - gaps[1] > 1.0


def test_money_for_the_living_goes_every_month_and_for_a_feast_once_or_twice_a_year() -> None:
    table = CROWDS["senders"].draw(PEOPLE, seed=0)
    living, feast = (table["purpose"] == purpose for purpose in ("living", "feast"))
    assert (table["times"][living] == 12).mean() > 0.45
    assert (table["times"][feast] <= 2).mean() > 0.5
    assert np.nanmean(table["amount"][table["purpose"] == "house"]) > 2 * np.nanmean(table["amount"][living])


@EACH
def test_a_crowd_survives_pickling(crowd: Crowd) -> None:
    assert pickle.loads(pickle.dumps(crowd)).questions() == crowd.questions()


def chance(population: Population, first: str, second: str) -> float:
    """Return the p-value of a chi-square test of independence; rare levels are joined with their neighbours."""
    counts = population.joint(first, second) * population.count
    for axis in (0, 1):
        totals, starts, held = counts.sum(axis=1 - axis), [0], 0.0
        for index, total in enumerate(totals):
            if held >= population.count / 200:
                starts, held = [*starts, index], 0.0
            held += total
        counts = np.add.reduceat(counts, starts, axis=axis)
    return float(stats.chi2_contingency(counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0]).pvalue)
