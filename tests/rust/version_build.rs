fn main() {
    let version = std::env::vars()
        .find(|(name, _)| name.starts_with("DEP_K8S_OPENAPI_") && name.ends_with("_VERSION"))
        .and_then(|(_, version)| version.parse().ok());
    assert_eq!(version, Some(0x00_01_23_00_u32));
}
