//! Refused positions of templates, and rendered values. [`values`] tests them with real programs.

use std::collections::BTreeMap;

use insta::assert_snapshot;
use serde_json::{Value, json};

use super::*;

mod skeletons;
mod values;

/// The names in scope: `$text $choice $list $n $opt $flag`, variables, secrets.
pub(super) fn names() -> TemplateNames {
    let argument = |kind, required| Argument { kind, required };
    TemplateNames {
        arguments: [
            ("text", argument(ArgumentKind::Text, true)),
            ("other", argument(ArgumentKind::Text, true)),
            ("choice", argument(ArgumentKind::Choice, true)),
            ("list", argument(ArgumentKind::Array, false)),
            ("n", argument(ArgumentKind::Number, true)),
            ("opt", argument(ArgumentKind::Text, false)),
            ("any", argument(ArgumentKind::Any, false)),
            ("dashed-name", argument(ArgumentKind::Text, false)),
        ]
        .into_iter()
        .map(|(name, argument)| (name.to_owned(), argument))
        .collect(),
        variables: [
            ("API", "https://api.example.com"),
            ("TOOL", "bin/tool"),
            ("HOST", "example.org"),
            ("ODD", "a b&$text'"),
        ]
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .collect(),
        environment: ["TOKEN", "BASE", "UNSET"].into_iter().map(str::to_owned).collect(),
    }
}

fn arguments() -> Value {
    json!({"text": "it's $HOME", "other": "-x", "choice": "a", "list": ["p q", "r"], "n": 7})
}

/// Renders one template, or its problems, as a line.
fn line(escaping: Escaping, text: &str) -> String {
    let display_text = text.replace('\n', "⏎").replace('\0', "\\0");
    let template = match Template::parse(text, escaping, &names()) {
        Err(problems) => {
            let problems: Vec<String> = problems
                .iter()
                .map(|problem| {
                    let excerpt = text.get(problem.range.clone()).unwrap();
                    format!(
                        "  {:?} {} `{}`: {}",
                        problem.severity,
                        problem.range.start,
                        excerpt.replace('\n', "⏎").replace('\0', "\\0"),
                        problem.message
                    )
                })
                .collect();
            return format!("{display_text}\n{}", problems.join("\n"));
        }
        Ok(template) => template,
    };
    let environment: BTreeMap<String, String> = [("TOKEN", "s3cret $text"), ("BASE", "https://h.example/v1")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()))
        .into();
    let arguments = arguments();
    let arguments = arguments.as_object().unwrap();
    let values = Values { arguments, environment: &environment, workspace_folder: "/W x" };
    let warnings: String = template.warnings().iter().flat_map(|warning| ["  ", &warning.message, "\n"]).collect();
    let rendered = template.render(values).map(|rendered| {
        let redacted_note =
            if rendered.redacted == rendered.text { String::new() } else { format!(" shown {}", rendered.redacted) };
        let absent = if rendered.absent { " absent" } else { "" };
        format!("{}{redacted_note}{absent}", rendered.text.replace('\n', "⏎"))
    });
    let rendered = rendered.unwrap_or_else(|error| format!("ERROR {error}"));
    format!("{display_text}\n{warnings}  → {rendered}")
}

fn check(escaping: Escaping, texts: &[&str]) -> String {
    texts.iter().map(|text| line(escaping, text)).collect::<Vec<_>>().join("\n")
}

#[test]
fn accepted_scripts() {
    assert_snapshot!(check(Escaping::Shell, &[
        "echo $text \"a $text b\" x=$text ${arg:dashed-name}end",
        "cmd --flag $list $opt -- $text; [ -z $opt ] && run $any",
        "cat < $opt; x=$opt y=\"$list2\" ${TOOL} ${workspaceFolder}/a ${env:TOKEN}",
        "echo $HOME $1 $$ \\$text $${HOME} ${#x} ${x:-y} \"cost $$$n\"",
        "for f in $list; do echo \"$f\"; done; case $choice in a) echo $n;; esac",
        "f() { echo $text; }; (cd $text && ls) | grep -- $text 2>&1 >$other",
        "export A=$text; A=$text B=x cmd $n; sh -c 'echo \"$1\"' sh $text",
        "cat <<'EOF'\nbody\nEOF\necho $text # end",
        "x=$(date); echo \"$(a \"b)\" ')')\" $text; echo $((1+2)) $text",
        "a \\\n  $n",
    ]), @r##"
        echo $text "a $text b" x=$text ${arg:dashed-name}end
          → echo 'it'\''s $HOME' "a "'it'\''s $HOME'" b" x='it'\''s $HOME' ''end
        cmd --flag $list $opt -- $text; [ -z $opt ] && run $any
          a value of argument `list` that begins with `-` would be an option of the command; put `--` before it if the command knows that
          a value of argument `opt` that begins with `-` would be an option of the command; put `--` before it if the command knows that
          a value of argument `any` that begins with `-` would be an option of the command; put `--` before it if the command knows that
          → cmd --flag 'p q' 'r'  -- 'it'\''s $HOME'; [ -z  ] && run 
        cat < $opt; x=$opt y="$list2" ${TOOL} ${workspaceFolder}/a ${env:TOKEN}
          → cat < ''; x='' y="$list2" 'bin/tool' '/W x'/a 's3cret $text' shown cat < ''; x='' y="$list2" 'bin/tool' '/W x'/a •••
        echo $HOME $1 $$ \$text $${HOME} ${#x} ${x:-y} "cost $$$n"
          → echo $HOME $1 $ \$text ${HOME} ${#x} ${x:-y} "cost $"'7'""
        for f in $list; do echo "$f"; done; case $choice in a) echo $n;; esac
          → for f in 'p q' 'r'; do echo "$f"; done; case 'a' in a) echo '7';; esac
        f() { echo $text; }; (cd $text && ls) | grep -- $text 2>&1 >$other
          a value of argument `text` that begins with `-` would be an option of the command; put `--` before it if the command knows that
          → f() { echo 'it'\''s $HOME'; }; (cd 'it'\''s $HOME' && ls) | grep -- 'it'\''s $HOME' 2>&1 >'-x'
        export A=$text; A=$text B=x cmd $n; sh -c 'echo "$1"' sh $text
          a value of argument `text` that begins with `-` would be an option of the command; put `--` before it if the command knows that
          → export A='it'\''s $HOME'; A='it'\''s $HOME' B=x cmd '7'; sh -c 'echo "$1"' sh 'it'\''s $HOME'
        cat <<'EOF'⏎body⏎EOF⏎echo $text # end
          → cat <<'EOF'⏎body⏎EOF⏎echo 'it'\''s $HOME' # end
        x=$(date); echo "$(a "b)" ')')" $text; echo $((1+2)) $text
          → x=$(date); echo "$(a "b)" ')')" 'it'\''s $HOME'; echo $((1+2)) 'it'\''s $HOME'
        a \⏎  $n
          → a \⏎  '7'
        "##);
}

#[test]
fn refused_scripts() {
    assert_snapshot!(check(Escaping::Shell, &[
        "echo '$text' `x $text` $(y $text) \"$(z \"$text\")\" # $text",
        "cat <<EOF\n$text\nEOF",
        "echo $((n + $n)) ${x:-$text} \"${x#$text}\"; ((x=$n))",
        "$text a; if $text; then x=1 $text; fi; sudo $text; ${TOOL}$text; env A=1 $text",
        "eval $text; unset $text; a[$text]=1; a[1]=$text; declare -i a=$n; read $text; printf -v $text x; [[ $text ]]",
        "sh -c $text; bash -lc \"echo $text\"; python3 -c \"print($text)\"; awk \"/$text/\"; sed $text; ssh h ls $text; find -exec sh -c \"$text\" \\;",
        "echo $$$text \\${arg:text} ${NAME} ${arg:txt} ${env:X} ${unclosed",
        "echo \"${x:-'}\" $text",
        "echo $'a\\'b' $text; cat <<E\"F\"\nx\nEF",
        "echo @(a|$text); function f { $text; }",
        "echo $list\"x\" x$list \"$list\" > $list; cat <<E; echo \"\nE\n\" $text",
        "echo $\\\n(x $text)",
        "echo 'open",
        "echo $(open \"a",
    ]), @r#"
    echo '$text' `x $text` $(y $text) "$(z "$text")" # $text
      Error 6 `$text`: argument `text` is in single quotes, where the shell replaces nothing; remove them, or use double quotes
      Error 16 `$text`: argument `text` is in backquotes, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 27 `$text`: argument `text` is in `$(…)`, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 40 `$text`: argument `text` is in `$(…)`, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 51 `$text`: argument `text` is in a comment, where it cannot be quoted; write `$$` for a dollar
    cat <<EOF⏎$text⏎EOF
      Error 10 `$text`: argument `text` is in a here-document, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
    echo $((n + $n)) ${x:-$text} "${x#$text}"; ((x=$n))
      Error 12 `$n`: argument `n` is in `$((…))`, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 22 `$text`: argument `text` is in `${…}` of the shell, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 34 `$text`: argument `text` is in `${…}` of the shell, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
      Error 47 `$n`: argument `n` is in `((…))`, where it cannot be quoted; give it to a variable of the script first (`value=$name`) and use that there (`"$value"`)
    $text a; if $text; then x=1 $text; fi; sudo $text; ${TOOL}$text; env A=1 $text
      Error 0 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
      Error 12 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
      Error 28 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
      Error 44 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
      Error 58 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
      Error 73 `$text`: argument `text` would be the name of the command; write the name, or choose with `case $name in …`
    eval $text; unset $text; a[$text]=1; a[1]=$text; declare -i a=$n; read $text; printf -v $text x; [[ $text ]]
      Error 5 `$text`: argument `text` would be evaluated by the shell as code or as a name; give it to a variable (`value=$name`)
      Error 18 `$text`: argument `text` would be evaluated by the shell as code or as a name; give it to a variable (`value=$name`)
      Error 27 `$text`: argument `text` is in a subscript, which the shell evaluates; use a variable of the script
      Error 42 `$text`: argument `text` is in a subscript, which the shell evaluates; use a variable of the script
      Error 62 `$n`: argument `n` may only be a value here, after `NAME=` and without options before; declare the variable first
      Error 71 `$text`: argument `text` would be evaluated by the shell as code or as a name; give it to a variable (`value=$name`)
      Error 88 `$text`: argument `text` would be a variable's name, whose brackets the shell evaluates; use another name
      Error 100 `$text`: argument `text` is in `[[ … ]]`, which evaluates some of its words; use `[ … ]` or `case`
    sh -c $text; bash -lc "echo $text"; python3 -c "print($text)"; awk "/$text/"; sed $text; ssh h ls $text; find -exec sh -c "$text" \;
      Error 6 `$text`: argument `text` would be pasted into code; hand it over as an argument: `sh -c 'echo "$$1"' sh $name`
      Error 28 `$text`: argument `text` would be pasted into code; hand it over as an argument: `sh -c 'echo "$$1"' sh $name`
      Error 54 `$text`: argument `text` would be pasted into code; hand it over as an argument: `sh -c 'echo "$$1"' sh $name`
      Error 69 `$text`: argument `text` would be pasted into a program; `awk -v value=$name` hands over a value
      Error 82 `$text`: argument `text` would be pasted into a program; `awk -v value=$name` hands over a value
      Error 98 `$text`: argument `text` would be read by the shell of the other machine; send it as input instead
      Error 123 `$text`: argument `text` would be pasted into code; hand it over as an argument: `sh -c 'echo "$$1"' sh $name`
    echo $$$text \${arg:text} ${NAME} ${arg:txt} ${env:X} ${unclosed
      Error 7 `$text`: argument `text` is directly after a `$`; put double quotes around both
      Error 26 `${NAME}`: there is no variable `NAME`; an argument is `${arg:NAME}`, the shell's own variable `$${NAME}`
      Error 34 `${arg:txt}`: there is no parameter `txt` (nearest: `text`)
      Error 45 `${env:X}`: `X` is neither in the setting `zubi.env` nor a declared secret; declare it
      Error 54 `${`: `${` is never closed; a dollar is written `$$`
      Error 55 `{`: `${…}` of the shell is never closed
    echo "${x:-'}" $text
      Error 15 `$text`: argument `text` comes after a quote in `${…}`, from where on it is not sure how the shell reads the script; give it to a variable before that (`value=$name`) and use `"$value"` here
    echo $'a\'b' $text; cat <<E"F"⏎x⏎EF
      Error 13 `$text`: argument `text` is in single quotes, where the shell replaces nothing; remove them, or use double quotes
    echo @(a|$text); function f { $text; }
      Error 9 `$text`: argument `text` comes after a `(` inside a word, from where on it is not sure how the shell reads the script; give it to a variable before that (`value=$name`) and use `"$value"` here
      Error 30 `$text`: argument `text` comes after a `(` inside a word, from where on it is not sure how the shell reads the script; give it to a variable before that (`value=$name`) and use `"$value"` here
    echo $list"x" x$list "$list" > $list; cat <<E; echo "⏎E⏎" $text
      Error 5 `$list`: argument `list` is an array, and only one value is possible here
      Error 15 `$list`: argument `list` is an array, and only one value is possible here
      Error 22 `$list`: argument `list` is an array, and only one value is possible here
      Error 31 `$list`: argument `list` is an array, and only one value is possible here
      Error 58 `$text`: argument `text` comes after a here-document whose line does not end, from where on it is not sure how the shell reads the script; give it to a variable before that (`value=$name`) and use `"$value"` here
    echo $\⏎(x $text)
      Error 11 `$text`: argument `text` comes after a backslash at the end of a line, from where on it is not sure how the shell reads the script; give it to a variable before that (`value=$name`) and use `"$value"` here
    echo 'open
      Error 5 `'`: `'` is never closed
    echo $(open "a
      Error 6 `(`: `$(…)` is never closed
      Error 12 `"`: `"` is never closed
    "#);
}

#[test]
fn urls_in_templates() {
    assert_snapshot!(check(Escaping::Url, &[
        "${API}/items/$text?q=$text&n=$n",
        "https://${HOST}:8080/$text.json?list=$list&opt=$opt&x=$n#$text",
        "https://x/?opt=$opt&n=$n",
        "https://x?opt=$opt",
        "${env:BASE}/a?token=${env:TOKEN}",
        "https://x/${ODD}?a=pre$text",
        "https://$text/ https://",
        "https:///$text",
        "https://user:${env:TOKEN}@x/",
        "https://x$text",
        "https://x/$opt?$text=1&list=$list-",
        "file:///$text",
        "${env:BASE}$text",
        "${env:TOKEN}/x",
        "https://x/$list/${ODD",
        "https://x/../$text",
        "https://x\\$text/$1",
        "",
    ]), @r"
    ${API}/items/$text?q=$text&n=$n
      → https://api.example.com/items/it%27s%20%24HOME?q=it%27s%20%24HOME&n=7
    https://${HOST}:8080/$text.json?list=$list&opt=$opt&x=$n#$text
      → https://example.org:8080/it%27s%20%24HOME.json?list=p%20q&list=r&x=7#it%27s%20%24HOME
    https://x/?opt=$opt&n=$n
      → https://x/?n=7
    https://x?opt=$opt
      → https://x
    ${env:BASE}/a?token=${env:TOKEN}
      → https://h.example/v1/a?token=s3cret%20%24text shown •••/a?token=•••
    https://x/${ODD}?a=pre$text
      → https://x/a%20b%26%24text%27?a=preit%27s%20%24HOME
    https://$text/ https://
      Error 8 `$text`: argument `text` cannot choose the host; write the host, or use a variable
      Error 14 ` `: a URL cannot contain white space; write `%20`
    https:///$text
      Error 8 `/`: the URL has no host
    https://user:${env:TOKEN}@x/
      Error 25 `@`: a URL cannot contain a user name or a password; use the header `Authorization`
    https://x$text
      Error 9 `$text`: argument `text` cannot choose the host; write the host, or use a variable
    https://x/$opt?$text=1&list=$list-
      Error 10 `$opt`: argument `opt` may be missing, and the URL would name another resource; make it required
      Error 15 `$text`: argument `text` would be a name in the query; write the name
      Error 28 `$list`: argument `list` is an array, and only one value is possible here
    file:///$text
      Error 0 `f`: a URL begins with `https://` or `http://`
    ${env:BASE}$text
      Error 11 `$text`: argument `text` cannot choose the host; write the host, or use a variable
    ${env:TOKEN}/x
      → ERROR `TOKEN` of `zubi.env` is not a whole URL such as `https://host/path`, without `?`, `#` and white space
    https://x/$list/${ODD
      Error 10 `$list`: argument `list` is an array, and only one value is possible here
      Error 16 `${`: `${` is never closed; a dollar is written `$$`
    https://x/../$text
      → ERROR the URL's path would contain `.` or `..`, which leads to another resource
    https://x\$text/$1
      → https://x\it%27s%20%24HOME/$1

      Error 0 ``: the URL has no host
    ");
}

#[test]
fn bodies_in_templates() {
    assert_snapshot!(check(Escaping::Json, &[
        r#"{"q": "say \"$text\"", "n": $n, "list": $list, "opt": $opt, "key": ${env:TOKEN}, "w": "${workspaceFolder}"}"#,
        r#"{"$text": 1, "a$opt" : 2, "l": "$list"}"#,
        r#"{"n": 1$n}"#,
        r#"{"n": $n$n}"#,
        r#"{"n": "\u00$n"}"#,
        r#"{"n": "\$n"}"#,
        r#"{$text: 1}"#,
        r#"{"a": $HOME}"#,
        r#"{"a": "$unknown $$ ${HOM}"}"#,
    ]), @r#"
    {"q": "say \"$text\"", "n": $n, "list": $list, "opt": $opt, "key": ${env:TOKEN}, "w": "${workspaceFolder}"}
      → {"q": "say \"it's $HOME\"", "n": 7, "list": ["p q","r"], "opt": null, "key": "s3cret $text", "w": "/W x"} shown {"q": "say \"it's $HOME\"", "n": 7, "list": ["p q","r"], "opt": null, "key": "•••", "w": "/W x"}
    {"$text": 1, "a$opt" : 2, "l": "$list"}
      Error 2 `$text`: argument `text` would be the name of a member; write the name
      Error 15 `$opt`: argument `opt` would be the name of a member; write the name
      Error 32 `$list`: argument `list` is an array, and only one value is possible here
    {"n": 1$n}
      Error 7 `$n`: argument `n` touches other text; a value must be alone or in a string
    {"n": $n$n}
      Error 6 `$n`: argument `n` touches other text; a value must be alone or in a string
      Error 8 `$n`: argument `n` touches other text; a value must be alone or in a string
    {"n": "\u00$n"}
      Error 0 `{"n": "\u00$n"}`: the text is not valid JSON: invalid escape at line 1 column 13
    {"n": "\$n"}
      Error 0 `{"n": "\$n"}`: the text is not valid JSON: invalid escape at line 1 column 9
    {$text: 1}
      Error 0 `{$text: 1}`: the text is not valid JSON: key must be a string at line 1 column 2
    {"a": $HOME}
      Error 0 `{"a": $HOME}`: the text is not valid JSON: expected value at line 1 column 7
      Warning 6 `$HOME`: there is no parameter `HOME`; it stays as it is (`$$` for a dollar)
    {"a": "$unknown $$ ${HOM}"}
      Warning 7 `$unknown`: there is no parameter `unknown`; it stays as it is (`$$` for a dollar)
      Error 19 `${HOM}`: there is no variable `HOM`; a dollar is written `$$`
    "#);
    assert_eq!(
        json_text_of(&json!({"a\"$x": "$n", "b": ["${arg:text}", "x $n", "$", "${", "${a} b", 1, null]})),
        r#"{"a\"$x":$n,"b":[${arg:text},"x $n","$","${","${a} b",1,null]}"#
    );
    assert_snapshot!(check(Escaping::Form, &["a=$text&b=$opt&c=$list", "$text=1", "a=x$list", "$$=${ODD}&t=${env:TOKEN}"]), @"
    a=$text&b=$opt&c=$list
      → a=it%27s%20%24HOME&c=p%20q&c=r
    $text=1
      Error 0 `$text`: argument `text` would be a name in the query; write the name
    a=x$list
      Error 3 `$list`: argument `list` is an array, and only one value is possible here
    $$=${ODD}&t=${env:TOKEN}
      → $=a%20b%26%24text%27&t=s3cret%20%24text shown $=a%20b%26%24text%27&t=•••
    ");
}

#[test]
fn headers_and_plain_texts() {
    assert_snapshot!(check(Escaping::Header, &["Bearer ${env:TOKEN}", "$opt", "$list", "${env:UNSET}"]), @r##"
        Bearer ${env:TOKEN}
          → Bearer s3cret $text shown Bearer •••
        $opt
          →  absent
        $list
          Error 0 `$list`: argument `list` is an array, and only one value is possible here
        ${env:UNSET}
          → ERROR `UNSET` of `zubi.env` is missing
        "##);
    assert_snapshot!(check(Escaping::Text, &["$$text is $text", "${opt}", "${arg:opt}"]), @r##"
        $$text is $text
          → $text is it's $HOME
        ${opt}
          Error 0 `${opt}`: there is no variable `opt`; the argument is `${arg:opt}` or `$opt`
        ${arg:opt}
          →  absent
        "##);
    assert_snapshot!(check(Escaping::Path, &["${workspaceFolder}/src", "a/$text", "a\0b"]), @r##"
        ${workspaceFolder}/src
          → /W x/src
        a/$text
          → a/it's $HOME
        a\0b
          Error 1 `\0`: the text contains NUL
        "##);
    assert_snapshot!(check(Escaping::Code, &[
        "return args.text + `${x}` + $y + '$$'",
        "return '${arg:text}' + $text + `${TOOL}`",
        "return `${",
    ]), @r##"
        return args.text + `${x}` + $y + '$$'
          → return args.text + `${x}` + $y + '$$'
        return '${arg:text}' + $text + `${TOOL}`
          Error 8 `${arg:text}`: argument `text` cannot be pasted into code; write `args["text"]`
          Error 23 `$text`: argument `text` cannot be pasted into code; write `args["text"]`
          Error 32 `${TOOL}`: variable `TOOL` cannot be pasted into code; hand it over as an argument
        return `${
          → return `${
        "##);
}

#[test]
fn values_a_template_rejects() {
    let render_error = |escaping, text: &str, value: Value| {
        let template = Template::parse(text, escaping, &names()).unwrap();
        let environment = BTreeMap::from([("BASE".to_owned(), value.as_str().unwrap_or_default().to_owned())]);
        let arguments = json!({"text": value, "any": value});
        let values =
            Values { arguments: arguments.as_object().unwrap(), environment: &environment, workspace_folder: "/W" };
        template.render(values).unwrap_err().to_string()
    };
    let errors = [
        render_error(Escaping::Shell, "echo $text", json!("a\0b")),
        render_error(Escaping::Shell, "echo \"$any\"", json!(["a"])),
        render_error(Escaping::Shell, "echo $text", Value::Null),
        render_error(Escaping::Header, "X $text", json!("a\r\nB: c")),
        render_error(Escaping::Header, "$text", json!("\0")),
        render_error(Escaping::Url, "https://x/$text/y", json!("..")),
        render_error(Escaping::Url, "https://x/.$text", json!(".")),
        render_error(Escaping::Url, "https://x/$text/y", json!("")),
        render_error(Escaping::Url, "${env:BASE}/x", json!("https://user@x")),
        render_error(Escaping::Url, "${env:BASE}/x", json!("ftp://x")),
        render_error(Escaping::Url, "https://${env:BASE}/x", json!("a/b")),
        render_error(Escaping::Text, &"$text".repeat(20), json!("x".repeat(1024 * 1024))),
    ];
    assert_snapshot!(errors.join("\n"), @"
    argument `text` contains NUL, which nothing here can hold
    argument `any` is an array, and only one value is possible here
    argument `text` is missing
    argument `text` contains a line break or another control character, which a header cannot hold
    argument `text` contains a line break or another control character, which a header cannot hold
    the URL's path would contain `.` or `..`, which leads to another resource
    the URL's path would contain `.` or `..`, which leads to another resource
    argument `text` is empty, and the URL would name another resource
    `BASE` of `zubi.env` is not a whole URL such as `https://host/path`, without `?`, `#` and white space
    `BASE` of `zubi.env` is not a whole URL such as `https://host/path`, without `?`, `#` and white space
    `BASE` of `zubi.env` is not a host
    the text would have more than 16777216 bytes
    ");
}

#[test]
fn too_long_templates_are_rejected() {
    let problems = Template::parse(&" ".repeat(MAX_TEMPLATE + 1), Escaping::Text, &names()).unwrap_err();
    assert!(problems[0].message.contains("file of its own"), "{problems:?}");
}

#[test]
fn used_names_are_listed() {
    let template = Template::parse("${API}/$text?a=${env:TOKEN}&b=$text&c=${arg:n}", Escaping::Url, &names()).unwrap();
    assert_eq!(template.arguments().into_iter().collect::<Vec<_>>(), ["n", "text"]);
    assert_eq!(template.variables().into_iter().collect::<Vec<_>>(), ["API"], "including one that became text");
    assert_eq!(template.secrets().into_iter().collect::<Vec<_>>(), ["TOKEN"]);
}
