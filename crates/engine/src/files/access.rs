//! How files are opened.

/// How a file of ours is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OpenMode {
    Read,
    /// To read it and to append to it.
    Append,
    /// To lock it; it is created if it is missing.
    Lock,
    /// To write a new file.
    New,
}
