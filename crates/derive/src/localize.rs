//! `#[derive(Localize)]`.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{Attribute, Data, DeriveInput, Error, Expr, ExprClosure, Fields, Ident, Result, Token};

/// What a `#[text(…)]` says.
struct Text {
    words: Words,
    condition: Option<Expr>,
}

enum Words {
    /// `key, argument, name = value, ..`
    Message {
        key: Ident,
        arguments: Vec<(Ident, Option<Expr>)>,
        /// Whether the fields that are not among the arguments are left out.
        leaves_out: bool,
    },
    /// `|field| text`
    Code(ExprClosure),
}

impl Parse for Text {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let words = if input.peek(Token![|]) {
            Words::Code(input.parse()?)
        } else {
            message(input)?
        };
        let condition = input.parse::<Option<Token![if]>>()?;
        Ok(Self {
            words,
            condition: condition.map(|_| input.parse()).transpose()?,
        })
    }
}

fn message(input: ParseStream<'_>) -> Result<Words> {
    let key = input.parse()?;
    let (mut arguments, mut leaves_out) = (Vec::new(), false);
    while !leaves_out && input.parse::<Option<Token![,]>>()?.is_some() {
        leaves_out = input.parse::<Option<Token![..]>>()?.is_some();
        if !leaves_out {
            arguments.push((input.parse()?, value(input)?));
        }
    }
    Ok(Words::Message {
        key,
        arguments,
        leaves_out,
    })
}

/// What follows the name of an argument.
fn value(input: ParseStream<'_>) -> Result<Option<Expr>> {
    let equals = input.parse::<Option<Token![=]>>()?;
    equals.map(|_| input.parse()).transpose()
}

pub(super) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let arms = match &input.data {
        Data::Struct(data) => arms(&input.ident, None, &input.attrs, &data.fields)?,
        Data::Enum(data) => {
            let variants = data.variants.iter();
            let arms = variants.map(|it| arms(&it.ident, Some(&it.ident), &it.attrs, &it.fields));
            arms.collect::<Result<Vec<_>>>()?.concat()
        }
        Data::Union(data) => {
            let message = "a union has no text";
            return Err(Error::new(data.union_token.span, message));
        }
    };
    let kind = &input.ident;
    let (generics, arguments, bounds) = input.generics.split_for_impl();
    Ok(quote! {
        impl #generics ::playhouse_engine::locale::Localize for #kind #arguments #bounds {
            #[allow(unused_variables, non_shorthand_field_patterns)]
            fn text(&self) -> ::playhouse_engine::locale::UiText {
                match self { #(#arms)* }
            }
        }

        impl #generics ::std::fmt::Display for #kind #arguments #bounds {
            fn fmt(&self, out: &mut ::std::fmt::Formatter<'_>) -> ::std::fmt::Result {
                let text = ::playhouse_engine::locale::Localize::text(self);
                ::std::fmt::Display::fmt(&text, out)
            }
        }
    })
}

/// The arms of a struct or a variant: one for each `#[text(…)]`.
fn arms(
    name: &Ident,
    variant: Option<&Ident>,
    attributes: &[Attribute],
    fields: &Fields,
) -> Result<Vec<TokenStream>> {
    let path = variant.map_or(quote!(Self), |variant| quote!(Self::#variant));
    let attributes = attributes.iter().filter(|it| it.path().is_ident("text"));
    let texts = attributes.map(Attribute::parse_args);
    let texts = texts.collect::<Result<Vec<Text>>>()?;
    if texts.is_empty() {
        return Ok(vec![own_text(name, &path, fields)?]);
    }
    texts.iter().map(|text| text.arm(&path, fields)).collect()
}

/// Without an attribute, the text of the only field.
fn own_text(name: &Ident, path: &TokenStream, fields: &Fields) -> Result<TokenStream> {
    let mut iter = fields.iter();
    let (Some(field), None) = (iter.next(), iter.next()) else {
        let message = "`#[text(key)]` is needed: the key of the text in the Fluent files";
        return Err(Error::new(name.span(), message));
    };
    let bound = pattern(path, fields, &[quote!(inner)]);
    let text = quote_spanned! {field.ty.span()=>
        ::playhouse_engine::locale::Localize::text(inner)
    };
    Ok(quote!(#bound => #text,))
}

/// A pattern that binds the first fields.
fn pattern(path: &TokenStream, fields: &Fields, bound: &[TokenStream]) -> TokenStream {
    match fields {
        Fields::Named(_) => {
            let names = fields.iter().filter_map(|field| field.ident.as_ref());
            let bound = names.zip(bound).map(|(name, to)| quote!(#name: #to));
            quote!(#path { #(#bound,)* .. })
        }
        Fields::Unnamed(_) => quote!(#path(#(#bound,)* ..)),
        Fields::Unit => quote!(#path),
    }
}

impl Text {
    fn arm(&self, path: &TokenStream, fields: &Fields) -> Result<TokenStream> {
        let (bound, text): (Vec<_>, _) = match &self.words {
            Words::Code(ExprClosure { inputs, body, .. }) => {
                let inputs = inputs.iter().map(|input| quote!(#input));
                (inputs.collect(), quote!(#body))
            }
            Words::Message {
                key,
                arguments,
                leaves_out,
            } => {
                let names = names(key, arguments, *leaves_out, fields)?;
                let is_told = |field: &Ident| arguments.iter().any(|(name, _)| name == field);
                let rest = names.iter().filter(|name| !leaves_out && !is_told(name));
                let told = arguments.iter().map(|(name, value)| match value {
                    Some(value) => quote!(#name = #value),
                    None => quote!(#name),
                });
                let text = quote! {
                    ::playhouse_engine::locale::text!(#key #(, #told)* #(, #rest)*)
                };
                (names.iter().map(|name| quote!(#name)).collect(), text)
            }
        };
        let bound = pattern(path, fields, &bound);
        let condition = self.condition.iter();
        Ok(quote!(#bound #(if #condition)* => #text,))
    }
}

/// What the fields are called. The first arguments name those of a tuple.
fn names<'a>(
    key: &Ident,
    arguments: &'a [(Ident, Option<Expr>)],
    leaves_out: bool,
    fields: &'a Fields,
) -> Result<Vec<&'a Ident>> {
    if !matches!(fields, Fields::Unnamed(_)) {
        return Ok(fields
            .iter()
            .filter_map(|field| field.ident.as_ref())
            .collect());
    }
    let names = arguments.iter().map(|(name, _)| name);
    let names: Vec<_> = names.take(fields.len()).collect();
    if names.len() < fields.len() && !leaves_out {
        let message = "name the fields after the key, in order: `#[text(key, name)]`; \
                       `..` leaves out the rest";
        return Err(Error::new(key.span(), message));
    }
    Ok(names)
}
