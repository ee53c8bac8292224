//! `export`: a story as a page in one file, stories as tables, and in the forms of other programs.

mod card;
mod csv_files;
mod data;
mod files;
#[cfg(feature = "page")]
mod page;
#[cfg(feature = "parquet")]
mod parquet_files;
mod stories;
mod training;

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
    if let (Some(form), Some(folder)) = (args.to, &args.dir) {
        stories::export(app, args, form, folder)?;
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
