# Debian packages and helpers that tools/quickstart and tools/test share. To be sourced by bash.

build_packages=(
  g++ cmake ninja-build pkg-config
  libzip-dev libdeflate-dev libboost-dev libboost-filesystem-dev libpugixml-dev
  libcurl4-openssl-dev libfmt-dev libcli11-dev nlohmann-json3-dev libexpected-dev
  libtomlplusplus-dev libssl-dev ca-certificates
)
# Maven's model builder says where Maven Central is; the library alone needs no Java.
repository_packages=(libmaven3-core-java)
test_packages=(
  doctest-dev librapidcheck-dev libbenchmark-dev
  clang-14 clang-format-14 libclang-rt-14-dev ccache python3 python3-venv python3-jsonschema
  openjdk-17-jdk-headless maven nghttp2-server openssl cmark-gfm chromium chromium-driver unzip zip
)

say() { printf '\n== %s\n' "$*"; }

die() {
  printf 'error: %s\n' "$1" >&2
  [ $# -gt 1 ] && printf '  try: %s\n' "$2" >&2
  exit 1
}

# install_missing PACKAGE...: installs those that are not there, as root or through sudo.
install_missing() {
  local missing=() package
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed ||
      missing+=("$package")
  done
  if [ ${#missing[@]} -eq 0 ]; then
    echo "all $# packages are installed"
    return
  fi
  local install=(apt-get install -y --no-install-recommends "${missing[@]}")
  command -v apt-get >/dev/null ||
    die "this needs the Debian packages: ${missing[*]}" "install their counterparts and run again"
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "not root, and sudo is missing" "as root: ${install[*]}"
    as_root=(sudo)
  fi
  echo "installing: ${missing[*]}"
  # `apt-get update` may fail for one stale source while the packages are there all the same, so
  # only the installation decides.
  "${as_root[@]}" apt-get update -qq || echo "apt-get update failed; trying to install anyway"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive "${install[@]}" >/dev/null ||
    die "could not install the packages" "${install[*]}"
}
