//! Conventions for the descriptions and schemas of all tools. The generated page docs/src/reference/tools.md shows
//! changes of them.

use zubi_code::testing::Toy;
use zubi_tool_api::schema;

use crate::support::{SHAPES, registry};

/// Every tool follows the rules of the registry, and all tools together fit the list's budget.
#[test]
fn all_tools_follow_the_schema_rules() {
    let toy = Toy::new(SHAPES);
    let registry = registry(&toy);
    let mut problems = registry.problems();
    for tool in registry.all_tools() {
        problems
            .extend(schema::problems(tool.spec()).into_iter().map(|problem| format!("{}: {problem}", tool.spec().id)));
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
