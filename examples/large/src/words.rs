//! The words of the model, and the names made from them.

use crate::style::Style;

/// Areas of a harbour's business.
const AREAS: &[&str] = &[
    "Pilotage",
    "Towage",
    "Mooring",
    "Berths",
    "Cranes",
    "Warehouses",
    "Customs",
    "Ferries",
    "Cruises",
    "Fishing",
    "Dredging",
    "Bunkering",
    "Provisions",
    "Salvage",
    "Shipyard",
    "Railway",
    "Trucking",
    "Barges",
    "Containers",
    "Grain",
    "Timber",
    "Vehicles",
    "Livestock",
    "Chemicals",
    "Waste",
    "Power",
    "Water",
    "Lighthouses",
    "Weather",
    "Security",
    "Leasing",
    "Insurance",
    "Brokerage",
    "Training",
    "Housing",
    "Canteens",
    "Museum",
    "Tourism",
    "Lifeboats",
    "Quarantine",
];

/// The contexts of each area.
const CONTEXTS: &[&str] = &[
    "Intake",
    "Planning",
    "Dispatch",
    "Tariffs",
    "Invoicing",
    "Permits",
    "Tracking",
    "Maintenance",
    "Claims",
    "Reporting",
    "Contracts",
    "Inspection",
    "Staffing",
    "Forecasts",
    "Archive",
];

/// The description of a context, in the order of [`CONTEXTS`].
const DESCRIPTIONS: &[&str] = &[
    "Takes orders in and checks whether they can be carried out",
    "Decides what is done when, and with which means",
    "Sends people and machines to where the plan wants them",
    "Knows what everything costs, for whom and from which day on",
    "Writes invoices and follows them until they are paid",
    "Applies for permits of the authorities, and stores them",
    "Knows where everything is, and says it to those who wait",
    "Operates machines and records their inspections",
    "Settles damage between those who caused it and those who bear it",
    "Collects what the board and the authorities want to read",
    "Stores agreements with their partners and terms",
    "Looks whether things are as the papers say",
    "Knows who can do what, and who is on duty",
    "Estimates what the next weeks bring",
    "Archives records that must not be deleted",
];

/// A word of an area's language: name, meaning, another name, two examples.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Term {
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    pub(crate) synonym: &'static str,
    pub(crate) examples: (&'static str, &'static str),
}

const fn term(
    name: &'static str,
    meaning: &'static str,
    synonym: &'static str,
    examples: (&'static str, &'static str),
) -> Term {
    Term { name, meaning, synonym, examples }
}

pub(crate) const TERMS: &[Term] = &[
    term("Call", "One visit of one ship, from the first message to the last line", "Visit", ("C-2041", "C-2042")),
    term("Slot", "A place and a time that belong together", "Window", ("Quay 7, 06:00", "Quay 9, noon")),
    term("Consignee", "The receiver of the goods", "Receiver", ("North Mill", "Miller & Sons")),
    term("Manifest", "The list of all that a ship carries", "Cargo-List", ("M-77", "M-78")),
    term("Demurrage", "The fee for staying too long", "Overstay", ("120 a day", "nothing")),
    term("Draught", "How deep a ship lies in the water", "Depth", ("9.4 m", "11 m")),
    term("Gang", "People who work a hatch together", "Crew", ("Gang 3", "the night gang")),
    term("Seal", "The proof that a container is unopened", "Lead", ("HX 1180", "none")),
    term("Tide", "When there is water enough, and how much", "Level", ("3.1 m", "neap")),
    term("Release", "The word that goods may leave", "Clearance", ("R-5", "R-6")),
    term("Shift", "Eight hours and those who work them", "Watch", ("night", "day")),
];

/// Decisions, each with its name.
pub(crate) const DECISIONS: &[(&str, &str)] = &[
    ("AppendOnly", "Events are written once and never changed"),
    ("Events", "Others learn of changes by events, not by requests"),
    ("TwoPeople", "An expense of more than a month's tariff needs two signatures"),
    ("Harbour-Time", "Every time is harbour time, whatever the ship's clock says"),
    ("Paper", "Documents with a stamp are also archived on paper"),
    ("FirstCome", "The first request is served first, unless the tide decides"),
    ("Rounding", "Amounts are rounded once, on the invoice"),
];

pub(crate) const TEAMS: &[&str] = &[
    "Albatross",
    "Cormorant",
    "Curlew",
    "Dunlin",
    "Eider",
    "Fulmar",
    "Gannet",
    "Guillemot",
    "Heron",
    "Kittiwake",
    "Osprey",
    "Petrel",
    "Plover",
    "Puffin",
    "Sandpiper",
    "Tern",
];

/// The namespaces of the vocabulary, with their classifications.
pub(crate) const STRATEGY: &[&str] = &["Core", "Supporting", "Generic"];
pub(crate) const BUSINESS: &[&str] = &["Revenue", "Engagement", "Saving"];
pub(crate) const STAGE: &[&str] = &["Genesis", "Custom", "Product", "Commodity"];
pub(crate) const ROLE: &[&str] = &["Gateway", "Engine", "Ledger", "Draft"];
pub(crate) const CONCERN: &[&str] = &["Architecture", "Safety", "Law"];

/// Metadata keys, with values that take turns.
pub(crate) const METADATA: &[(&str, &[&str])] = &[
    ("Language", &["Rust", "Kotlin", "Go", "COBOL"]),
    ("Hosting", &["quay", "cloud", "both"]),
    ("Criticality", &["high", "low"]),
];

/// The entry of a table for a number; the table repeats.
pub(crate) fn turn<T: Copy>(table: &[T], number: usize) -> T {
    #[expect(clippy::indexing_slicing, reason = "the remainder is below the length, and no table is empty")]
    table[number % table.len()]
}

/// The name of an area. When the table repeats, the name gets a number.
pub(crate) fn area(number: usize) -> String {
    numbered_name(AREAS, number)
}

/// The name of an area's context. Outside of a namespace it includes the area's name, to be unique.
pub(crate) fn context(area: usize, context: usize) -> String {
    let name = numbered_name(CONTEXTS, context);
    match Style::for_area(area) {
        Style::Long => name,
        Style::Short => format!("{}{name}", self::area(area)),
    }
}

pub(crate) fn description(context: usize) -> &'static str {
    turn(DESCRIPTIONS, context)
}

fn numbered_name(table: &[&'static str], number: usize) -> String {
    let name = turn(table, number);
    match number / table.len() {
        0 => name.to_owned(),
        round => format!("{name}{}", round + 1),
    }
}
