//! The sandbox on machines whose kernel has less, or fails: no command runs with less than the answer names.

use std::process::Stdio;

use crate::check::Sandbox;

/// Becomes the program of the second argument, for which the system calls of the first one (`number=errno,…`) fail.
const WITHOUT_CALLS: &str = r#"
import ctypes, os, platform, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = [(0x20, 0, 0, 0)]
for call in sys.argv[1].split(","):
    number, errno = map(int, call.split("="))
    code += [(0x15, 0, 1, number), (0x06, 0, 0, 0x50000 | errno)]
code.append((0x06, 0, 0, 0x7FFF0000))
text = b"".join(struct.pack("HBBI", *it) for it in code)
memory = ctypes.create_string_buffer(text, len(text))
class Program(ctypes.Structure):
    _fields_ = [("length", ctypes.c_ushort), ("code", ctypes.c_void_p)]
program = Program(len(code), ctypes.addressof(memory))
assert libc.prctl(38, 1, 0, 0, 0) == 0
assert libc.syscall(SECCOMP, 1, 0, ctypes.byref(program)) == 0, ctypes.get_errno()
os.execv(sys.argv[2], sys.argv[2:])
"#;

/// `landlock_create_ruleset`, which has the same number everywhere.
const LANDLOCK: u32 = 444;
const SECCOMP: u32 = if cfg!(target_arch = "x86_64") { 317 } else { 277 };

/// The kernel's answers for what it does not have, and if it has no memory.
const ENOSYS: i32 = 38;
const EINVAL: i32 = 22;
const ENOMEM: i32 = 12;

/// Runs zubi on a kernel on which these calls fail.
fn check_without(sandbox: &Sandbox, calls: &[(u32, i32)], words: &[&str]) -> String {
    let calls: Vec<String> = calls.iter().map(|(number, errno)| format!("{number}={errno}")).collect();
    let process = sandbox.process();
    #[expect(clippy::disallowed_methods, reason = "a test plays the machine that zubi runs on")]
    let mut command = std::process::Command::new("python3");
    command.args(["-c", &WITHOUT_CALLS.replace("SECCOMP", &SECCOMP.to_string()), &calls.join(",")]);
    command.arg(process.get_program()).args(words).current_dir(process.get_current_dir().unwrap()).env_clear();
    command.envs(process.get_envs().filter_map(|(name, value)| Some((name, value?)))).stdin(Stdio::null());
    sandbox.show(&mut assert_cmd::Command::from_std(command))
}

fn sandbox_with(settings: &str) -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write(
        "config/zubi/zubi.toml",
        &format!("{settings}\n[[policy]]\naction = 'allow'\ncommand = ['touch', '*']\nreason = 'a file'\n"),
    );
    sandbox
}

/// Calls without Landlock, without seccomp, and without both.
const NO_LANDLOCK: &[(u32, i32)] = &[(LANDLOCK, ENOSYS)];
const NO_SECCOMP: &[(u32, i32)] = &[(SECCOMP, EINVAL)];
const NOTHING: &[(u32, i32)] = &[(LANDLOCK, ENOSYS), (SECCOMP, EINVAL)];

#[test]
fn the_promise_is_that_of_the_level() {
    let sandbox = sandbox_with("");
    let explain = |calls: &[(u32, i32)]| {
        let answer = check_without(&sandbox, calls, &["policy", "explain", "--shell", "pwd"]);
        let line = answer.lines().find_map(|line| line.trim().strip_prefix("sandbox: ")).map(str::to_owned);
        line.unwrap_or(answer)
    };
    assert_eq!(explain(NO_LANDLOCK), "seccomp: no network; files are not held, it can read and write whatever you can");
    assert_eq!(
        explain(NO_SECCOMP),
        "landlock: writes only below the workspace, no credential stores; sockets and other processes are not held"
    );
    assert_eq!(explain(NOTHING), "no sandbox: nothing holds it, it can do whatever you can");
}

#[test]
fn nothing_runs_unapproved_without_a_sandbox() {
    for settings in ["", "[sandbox]\nat-least = 'none'"] {
        let sandbox = sandbox_with(settings);
        // A harmless command, and one that a rule allows.
        for command in ["pwd", "touch made"] {
            let answer = check_without(&sandbox, NOTHING, &["call", "shell.run", "--command", command]);
            assert!(answer.contains("there is no sandbox here, so nothing limits what it does"), "{command}: {answer}");
            assert!(answer.contains("no one can approve it here"), "{command}: {answer}");
        }
        assert!(!sandbox.exists("work/made"));
        let answer = check_without(&sandbox, NO_LANDLOCK, &["call", "shell.run", "--command", "touch made"]);
        assert!(answer.contains("[seccomp · exit 0"), "{answer}");
    }
}

#[test]
fn a_failing_kernel_is_no_reason_to_confine_less() {
    let sandbox = sandbox_with("");
    let failing = &[(SECCOMP, ENOMEM)];
    let answer = check_without(&sandbox, failing, &["call", "shell.run", "--command", "touch made"]);
    assert!(answer.contains("cannot confine: seccomp: ") && answer.contains("Cannot allocate memory"), "{answer}");
    assert!(!sandbox.exists("work/made"));
    // Unless the user is content with less.
    let sandbox = sandbox_with("[sandbox]\nat-least = 'landlock'");
    let answer = check_without(&sandbox, failing, &["call", "shell.run", "--command", "touch made"]);
    assert!(answer.contains("[landlock · exit 0"), "{answer}");
}

#[test]
fn the_user_can_demand_a_level() {
    let sandbox = sandbox_with("[sandbox]\nat-least = 'landlock+seccomp'");
    // A workspace can demand nothing else.
    sandbox.write("work/.zubi.toml", "[sandbox]\nat-least = 'none'\n");
    let answer = check_without(&sandbox, NO_LANDLOCK, &["call", "shell.run", "--command", "touch made"]);
    let expected = "it must run in the sandbox `landlock+seccomp` at least, and this machine has only `seccomp`";
    assert!(answer.contains(expected), "{answer}");
    assert!(answer.contains("`sandbox` in `[PLACE]/work/.zubi.toml` has no effect"), "{answer}");
    assert!(!sandbox.exists("work/made"));
}
