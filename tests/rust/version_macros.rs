//! Every macro of k8s-openapi that depends on the version of Kubernetes, which is 1.35.

use k8s_openapi::{k8s_if_1_34, k8s_if_1_35, k8s_if_ge_1_35, k8s_if_le_1_35};

k8s_openapi::k8s_if_le_1_34! {
    compile_error!("the version is 1.35");
}
k8s_openapi::k8s_if_ge_1_36! {
    compile_error!("the version is 1.35");
}
k8s_if_1_34! {
    compile_error!("the version is 1.35");
}
k8s_if_1_35! {
    struct Exact;
}
k8s_if_le_1_35! {
    struct Earlier;
}
k8s_if_ge_1_35! {
    struct Later;
}

fn name(minor: u32) -> &'static str {
    k8s_openapi::k8s_match!(minor, {
        k8s_if_le_1_34!(35 => "le_1_34"),
        k8s_if_1_36!(35 => "1_36"),
        34 if minor > 34 => "never",
        k8s_if_ge_1_35!(35 => "ge_1_35"),
        k8s_if_1_35!(0 => "1_35"),
        _ => "other",
    })
}

fn main() {
    let _ = (Exact, Earlier, Later);
    let _ = k8s_openapi::api::core::v1::Thing::default();
    println!("{} is the version, {} is not", name(35), name(1));
}
