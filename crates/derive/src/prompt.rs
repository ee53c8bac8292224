//! `#[derive(Prompt)]`.

use std::collections::BTreeSet;

use proc_macro2::TokenStream;
use quote::quote;
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Attribute, Data, DataEnum, DeriveInput, Error, Expr, ExprLit, Fields, Ident, Lit, LitStr,
    Result, Token, Type,
};

use super::templates;

/// What `#[prompt("name", purpose = "…", short = "name", OTHER = "name")]` says.
struct Spec {
    /// The name of the template, or what says which of the others it is.
    template: Expr,
    members: Vec<(Ident, Expr)>,
}

impl Parse for Spec {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let template = input.parse()?;
        let mut members = Vec::new();
        while input.parse::<Option<Token![,]>>()?.is_some() && !input.is_empty() {
            let name = input.parse()?;
            input.parse::<Token![=]>()?;
            members.push((name, input.parse()?));
        }
        Ok(Self { template, members })
    }
}

impl Spec {
    fn of(attributes: &[Attribute]) -> Result<Option<Self>> {
        let mut attributes = attributes.iter();
        let attribute = attributes.find(|attribute| attribute.path().is_ident("prompt"));
        attribute.map(Attribute::parse_args).transpose()
    }
}

/// What may fill a template.
#[derive(Clone, Default)]
pub(super) struct Variables<'a> {
    pub(super) names: Vec<String>,
    /// The types of flattened fields, whose names are known to the compiler alone.
    flattened: Vec<&'a Type>,
}

/// The templates of a type, and their files.
#[derive(Default)]
struct Templates {
    items: Vec<TokenStream>,
    files: BTreeSet<String>,
}

impl Templates {
    /// Adds a template by its name, once it is checked. Returns its name.
    fn add(&mut self, name: &Expr, variables: &Variables<'_>) -> Result<LitStr> {
        let Some(name) = literal(name) else {
            return Err(Error::new_spanned(name, "the name of a template is needed"));
        };
        let error = |message| Error::new(name.span(), message);
        for template in templates::find(&name.value()).map_err(error)? {
            let known = Some(&variables.names).filter(|_| variables.flattened.is_empty());
            template.check(known).map_err(error)?;
            self.files.insert(template.path.display().to_string());
        }
        let Variables { names, flattened } = variables;
        self.items.push(quote! {(
            #name,
            &[&[#(#names),*], #(<#flattened as ::playhouse_engine::world_data::Fields>::NAMES),*],
        )});
        Ok(name.clone())
    }
}

pub(super) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut templates = Templates::default();
    let mut others = TokenStream::new();
    let template = match (&input.data, Spec::of(&input.attrs)?) {
        (Data::Enum(data), None) => by_variant(input, data, &mut templates)?,
        (Data::Struct(data), None) => return only_fields(input, &data.fields),
        (Data::Enum(_), Some(spec)) => {
            let tags = [serde(&input.attrs, "tag")?, serde(&input.attrs, "content")?];
            let variables = Variables {
                names: tags.into_iter().flatten().collect(),
                ..Variables::default()
            };
            whole(input, &spec, &variables, &mut templates, &mut others)?
        }
        (Data::Struct(data), Some(spec)) => {
            let variables = variables(&data.fields)?;
            whole(input, &spec, &variables, &mut templates, &mut others)?
        }
        (Data::Union(data), _) => {
            return Err(Error::new(
                data.union_token.span,
                "a union fills no template",
            ));
        }
    };
    let kind = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let Templates { items, files } = templates;
    Ok(quote! {
        impl #generics ::playhouse_engine::world_data::Prompt for #kind #arguments #bounds {
            const TEMPLATES: &'static [::playhouse_engine::world_data::Declared] = &[#(#items),*];

            #[allow(unused_variables)]
            fn template(&self) -> &'static str { #template }
        }

        #others

        // The crate is built again when a template changes.
        const _: &[&[u8]] = &[#(include_bytes!(#files)),*];
    })
}

/// One set of fields. Returns what says which template they fill.
fn whole(
    input: &DeriveInput,
    spec: &Spec,
    variables: &Variables<'_>,
    templates: &mut Templates,
    others: &mut TokenStream,
) -> Result<TokenStream> {
    let (kind, template) = (&input.ident, &spec.template);
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    if literal(template).is_some() {
        templates.add(template, variables)?;
    }
    let (mut constants, mut short, mut purpose) = (Vec::new(), quote!(None), None);
    for (name, value) in &spec.members {
        if name == "purpose" {
            purpose = Some(value);
            for_people(value, variables, templates)?;
        } else if name == "short" {
            let mut variables = variables.clone();
            variables.names.push("alone".into());
            let template = templates.add(value, &variables)?;
            short = quote!(Some(#template));
        } else {
            let template = templates.add(value, variables)?;
            constants.push(quote!(pub(crate) const #name: &'static str = #template;));
        }
    }
    if !constants.is_empty() {
        others.extend(quote!(impl #generics #kind #arguments #bounds { #(#constants)* }));
    }
    if let Some(purpose) = purpose {
        others.extend(quote! {
            impl #generics ::playhouse_engine::exchange::Question for #kind #arguments #bounds {
                const SHORT: Option<&'static str> = #short;
                const PURPOSE: &'static str = #purpose;
            }
        });
    }
    Ok(quote!(#template))
}

/// Adds the words of a question for people, such as `seats/home_plan` or `home/seats/plan`, and
/// what stands for an empty answer.
fn for_people(purpose: &Expr, variables: &Variables<'_>, templates: &mut Templates) -> Result<()> {
    let Some(purpose) = literal(purpose) else {
        return Err(Error::new_spanned(purpose, "a text is needed"));
    };
    let purpose_name = purpose.value();
    let own = purpose_name.split_once('.');
    let own = own.map(|(game, ask)| format!("{game}/seats/{ask}"));
    let shared = format!("seats/{}", purpose_name.replace('.', "_"));
    for (name, suffix) in own
        .iter()
        .chain([&shared])
        .flat_map(|name| [(name, ""), (name, "_skipped")])
    {
        let name = format!("{name}{suffix}");
        let found = templates::find(&name).unwrap_or_default();
        if found.iter().any(templates::Template::exists) {
            let name = LitStr::new(&name, purpose.span());
            templates.add(&syn::parse_quote!(#name), variables)?;
        }
    }
    Ok(())
}

/// A template for each variant.
fn by_variant(
    input: &DeriveInput,
    data: &DataEnum,
    templates: &mut Templates,
) -> Result<TokenStream> {
    if serde(&input.attrs, "untagged")?.is_none() {
        let message = "`#[serde(untagged)]` is needed: a template sees the fields alone";
        return Err(Error::new(input.ident.span(), message));
    }
    let arms = data.variants.iter().map(|variant| {
        let missing = || {
            let message = "`#[prompt(\"name\")]` is needed: \
                           its path in `data/prompts/<language>`, without the ending";
            Error::new(variant.ident.span(), message)
        };
        let spec = Spec::of(&variant.attrs)?.ok_or_else(missing)?;
        let template = templates.add(&spec.template, &variables(&variant.fields)?)?;
        let variant = &variant.ident;
        Ok(quote!(Self::#variant { .. } => #template,))
    });
    let arms = arms.collect::<Result<Vec<_>>>()?;
    Ok(quote!(match self { #(#arms)* }))
}

/// A struct without a template, which others flatten.
fn only_fields(input: &DeriveInput, fields: &Fields) -> Result<TokenStream> {
    let kind = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    let names = variables(fields)?.names;
    Ok(quote! {
        impl #generics ::playhouse_engine::world_data::Fields for #kind #arguments #bounds {
            const NAMES: &'static [&'static str] = &[#(#names),*];
        }
    })
}

/// What a template sees of fields.
pub(super) fn variables(fields: &Fields) -> Result<Variables<'_>> {
    if matches!(fields, Fields::Unnamed(_)) && fields.len() > 1 {
        let message = "the fields of a template need names";
        return Err(Error::new(fields.span(), message));
    }
    let mut variables = Variables::default();
    for field in fields {
        let Some(name) = &field.ident else {
            // What a struct wraps is written in its place.
            variables.flattened.push(&field.ty);
            continue;
        };
        if serde(&field.attrs, "flatten")?.is_some() {
            variables.flattened.push(&field.ty);
        } else if serde(&field.attrs, "skip")?.is_none() {
            let renamed = serde(&field.attrs, "rename")?;
            variables
                .names
                .push(renamed.unwrap_or_else(|| name.to_string()));
        }
    }
    Ok(variables)
}

/// What `#[serde(key = "value")]` says; an empty text without a value.
fn serde(attributes: &[Attribute], key: &str) -> Result<Option<String>> {
    let mut found = None;
    for attribute in attributes.iter().filter(|it| it.path().is_ident("serde")) {
        attribute.parse_nested_meta(|meta| {
            let equals = meta.input.parse::<Option<Token![=]>>()?;
            let value: Option<LitStr> = equals.map(|_| meta.input.parse()).transpose()?;
            if meta.path.is_ident(key) {
                found = Some(value.map_or_else(String::new, |value| value.value()));
            }
            Ok(())
        })?;
    }
    Ok(found)
}

fn literal(value: &Expr) -> Option<&LitStr> {
    match value {
        Expr::Lit(ExprLit {
            lit: Lit::Str(text),
            ..
        }) => Some(text),
        _ => None,
    }
}
