//! `export`: a story as a page in one file, and stories as tables.

mod csv_files;
mod data;
#[cfg(feature = "page")]
mod page;
#[cfg(feature = "parquet")]
mod parquet_files;

use crate::cli::prelude::*;

#[cfg(not(all(feature = "page", feature = "parquet")))]
use crate::tool::NotBuilt;

use crate::cli::args::ExportArgs;

pub(super) fn export(app: &App, args: &ExportArgs) -> Result<()> {
    if let Some(file) = &args.html {
        #[cfg(feature = "page")]
        page::export(app, args, file)?;
        #[cfg(not(feature = "page"))]
        return Err(not_built(&NotBuilt::PAGE, file));
    }
    if let Some(folder) = &args.csv {
        data::export::<csv_files::CsvFiles>(app, &args.slot, folder)?;
    }
    if let Some(folder) = &args.parquet {
        #[cfg(feature = "parquet")]
        data::export::<parquet_files::ParquetFiles>(app, &args.slot, folder)?;
        #[cfg(not(feature = "parquet"))]
        return Err(not_built(&NotBuilt::PARQUET, folder));
    }
    Ok(())
}

#[cfg(not(all(feature = "page", feature = "parquet")))]
fn not_built(missing: &NotBuilt, path: &std::path::Path) -> CommandError {
    CommandError::of(ErrorKind::Usage, missing).at(path.display())
}
