//! Reads lines of `type TAB document TAB document` and does the same with both crates: read, write,
//! read what the other crate wrote, merge. Prints the first differences, and the counts.

use std::io::BufRead;

#[derive(Default)]
struct Counts {
    read: usize,
    refused: usize,
    merged: usize,
    different: usize,
}

impl Counts {
    fn differ(&mut self, what: &str, name: &str, document: &str, ours: &str, theirs: &str) {
        self.different += 1;
        if self.different <= 20 {
            println!("{what} {name}: {document}\n  ours:   {ours}\n  theirs: {theirs}");
        }
    }
}

trait Wire: serde::Serialize + serde::de::DeserializeOwned {}
impl<T: serde::Serialize + serde::de::DeserializeOwned> Wire for T {}

fn text<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap()
}

/// Read and write a document with both crates. Returns both values if both can read it.
fn wire<O: Wire, T: Wire>(name: &str, document: &str, counts: &mut Counts) -> Option<(O, T)> {
    let ours = serde_json::from_str::<O>(document);
    let theirs = serde_json::from_str::<T>(document);
    // serde deserializes a value by other methods than a text.
    let value = serde_json::from_str::<serde_json::Value>(document).unwrap();
    let ours_from_value = serde_json::from_value::<O>(value.clone())
        .map(|value| text(&value))
        .ok();
    let theirs_from_value = serde_json::from_value::<T>(value)
        .map(|value| text(&value))
        .ok();
    if ours_from_value != theirs_from_value {
        let (left, right) = (
            format!("{ours_from_value:?}"),
            format!("{theirs_from_value:?}"),
        );
        counts.differ("from a value", name, document, &left, &right);
    }
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => {
            counts.read += 1;
            let (left, right) = (text(&ours), text(&theirs));
            if left != right {
                counts.differ("written", name, document, &left, &right);
            }
            let ours_again = serde_json::from_str::<O>(&right)
                .map(|value| text(&value))
                .ok();
            let theirs_again = serde_json::from_str::<T>(&left)
                .map(|value| text(&value))
                .ok();
            if ours_again != theirs_again {
                counts.differ(
                    "read again",
                    name,
                    &right,
                    &format!("{ours_again:?}"),
                    &format!("{theirs_again:?}"),
                );
            }
            Some((ours, theirs))
        }
        (Err(_), Err(_)) => {
            counts.refused += 1;
            None
        }
        (ours, theirs) => {
            let left = format!("{:?}", ours.map(|value| text(&value)));
            let right = format!("{:?}", theirs.map(|value| text(&value)));
            counts.differ("read", name, document, &left, &right);
            None
        }
    }
}

fn compare<O: Wire + ours::DeepMerge, T: Wire + theirs::DeepMerge>(
    name: &str,
    one: &str,
    other: &str,
    counts: &mut Counts,
) {
    let values = (
        wire::<O, T>(name, one, counts),
        wire::<O, T>(name, other, counts),
    );
    if let (Some((mut our, mut their)), Some((our_new, their_new))) = values {
        ours::DeepMerge::merge_from(&mut our, our_new);
        theirs::DeepMerge::merge_from(&mut their, their_new);
        counts.merged += 1;
        let (left, right) = (text(&our), text(&their));
        if left != right {
            counts.differ("merged", name, &format!("{one} + {other}"), &left, &right);
        }
    }
}

include!("types.rs");

fn main() {
    let mut counts = Counts::default();
    for line in std::io::stdin().lock().lines() {
        let line = line.unwrap();
        let mut parts = line.split('\t');
        let mut next = || parts.next().unwrap();
        let (name, one, other) = (next(), next(), next());
        dispatch(name, one, other, &mut counts);
    }
    println!(
        "{{\"read\": {}, \"refused\": {}, \"merged\": {}, \"different\": {}}}",
        counts.read, counts.refused, counts.merged, counts.different
    );
    std::process::exit(i32::from(counts.different > 0));
}
