//! `export`: a story as a page in one file, stories as tables, and in the forms of other programs.

mod card;
mod csv_files;
mod data;
mod files;
mod page;
#[cfg(feature = "parquet")]
mod parquet_files;
mod stories;
mod training;

use crate::cli::prelude::*;

use crate::cli::args::ExportArgs;

pub(super) fn export(app: &App, args: &ExportArgs) -> Result<()> {
    if let Some(file) = &args.html {
        page::export(app, args, file)?;
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
        return Err(
            CommandError::of(ErrorKind::Usage, &crate::tool::NotBuilt::PARQUET)
                .at(folder.display()),
        );
    }
    Ok(())
}
