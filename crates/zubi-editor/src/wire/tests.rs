use super::*;

#[test]
fn messages_are_unique_and_references_resolve() {
    let document = document();
    assert_eq!(document["messages"].as_object().unwrap().len(), MESSAGES.len(), "two messages with the same name");
    let text = document.to_string();
    for (at, _) in text.match_indices("#/$defs/") {
        let name = text.get(at + "#/$defs/".len()..).unwrap().split('"').next().unwrap();
        assert!(document["$defs"].get(name).is_some(), "{name}");
    }
    for message in MESSAGES {
        assert!(message.summary.ends_with('.'), "{}", message.name);
    }
}

/// A type that is sent in both directions must have one schema.
#[test]
fn shared_types_have_one_schema_in_both_directions() {
    let definitions = |contract: Contract, to: &dyn Fn(&MessageSpec) -> [Option<SchemaFn>; 2], which: usize| {
        let mut generator = SchemaSettings::default().with(|it| it.contract = contract).into_generator();
        for shape in MESSAGES.iter().filter_map(|message| to(message)[which]) {
            shape(&mut generator);
        }
        generator.take_definitions(true)
    };
    let by_reader = |message: &MessageSpec| match message.to {
        Recipient::Editor => [message.params, message.result],
        Recipient::Server => [message.result, message.params],
    };
    let of_server = definitions(Contract::Serialize, &by_reader, 0);
    let of_editor = definitions(Contract::Deserialize, &by_reader, 1);
    for (name, shape) in &of_server {
        assert!(of_editor.get(name).is_none_or(|other| other == shape), "{name}");
    }
}
