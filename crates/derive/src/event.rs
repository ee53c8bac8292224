//! `#[derive(AgentEvent)]`.

use super::prompt;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Data, DeriveInput, Error, Expr, Ident, LitStr, Path, Result, Token};

/// What `#[event(…)]` says.
struct Attribute {
    name: LitStr,
    members: Vec<Member>,
}

/// A word, or a word with a value.
struct Member {
    key: Ident,
    value: Option<Expr>,
}

impl Parse for Attribute {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name = input.parse()?;
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
        }
        let members = Punctuated::<Member, Token![,]>::parse_terminated(input)?;
        Ok(Self {
            name,
            members: members.into_iter().collect(),
        })
    }
}

impl Parse for Member {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let key = Ident::parse_any(input)?;
        let value = match input.parse::<Option<Token![=]>>()? {
            Some(_) => Some(input.parse()?),
            None => None,
        };
        Ok(Self { key, value })
    }
}

impl Member {
    fn is(&self, key: &str) -> bool {
        self.key == key
    }

    /// The value; an error if there is none.
    fn value(&self) -> Result<&Expr> {
        let missing = || Error::new(self.key.span(), format!("`{} = …` is needed", self.key));
        self.value.as_ref().ok_or_else(missing)
    }

    /// The value if it is a single name: of a field, a method or a variant.
    fn name(&self) -> Result<Option<&Ident>> {
        Ok(match self.value()? {
            Expr::Path(path) => path.path.get_ident(),
            _ => None,
        })
    }

    /// A field by its name, or any expression.
    fn field(&self) -> Result<TokenStream> {
        let value = self.value()?;
        Ok(match self.name()? {
            Some(field) => quote!(self.#field),
            None => quote!(#value),
        })
    }

    /// A method by its name.
    fn method(&self) -> Result<TokenStream> {
        let wrong = || Error::new_spanned(&self.value, "the name of a method is needed");
        let method = self.name()?.ok_or_else(wrong)?;
        Ok(quote!(self.#method))
    }

    /// What a method returns for these arguments, or an expression of the fields.
    fn told(&self, fields: &[&Ident], arguments: &TokenStream) -> Result<TokenStream> {
        let value = self.value()?;
        Ok(match self.name()? {
            Some(method) => quote!(self.#method(#arguments)),
            None => quote! {
                #[allow(unused_variables)]
                let Self { #(#fields),* } = self;
                Some(#value)
            },
        })
    }
}

/// The type, and where the engine is.
struct Event<'a> {
    fields: Vec<&'a Ident>,
    engine: Path,
}

pub(super) fn derive(input: &DeriveInput) -> Result<TokenStream> {
    let mut attributes = input.attrs.iter();
    let attribute = attributes.find(|attribute| attribute.path().is_ident("event"));
    let missing = || {
        Error::new(
            Span::call_site(),
            "`#[event(\"name\", style = …)]` is needed",
        )
    };
    let Attribute { name, members } = attribute.ok_or_else(missing)?.parse_args()?;
    let event = Event {
        fields: fields(&input.data),
        engine: engine(&members)?,
    };
    if !members.iter().any(|member| member.is("style")) {
        let message = "`style = …` is needed: how readers are shown the event";
        return Err(Error::new(name.span(), message));
    }
    let (mut of_event, mut of_telling) = (Vec::new(), Vec::new());
    for member in members.iter().filter(|member| !member.is("crate")) {
        match event.telling(member)? {
            Some(item) => of_telling.push(item),
            None => of_event.push(event.item(member)?),
        }
    }
    let (kind, engine) = (&input.ident, &event.engine);
    let mut variables = match &input.data {
        Data::Struct(data) => prompt::variables(&data.fields)?.names,
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    };
    if members.iter().any(|member| member.is("doer")) {
        variables.push("own".into());
    }
    Ok(quote! {
        impl #engine::event::AgentEvent for #kind {
            const TYPE: &'static str = #name;
            const FIELDS: &'static [&'static str] = &[#(#variables),*];
            #(#of_event)*
        }

        impl #engine::event::Telling for #kind {
            #(#of_telling)*
        }
    })
}

/// The names of the fields; none if they have no names.
fn fields(data: &Data) -> Vec<&Ident> {
    match data {
        Data::Struct(data) => data
            .fields
            .iter()
            .filter_map(|field| field.ident.as_ref())
            .collect(),
        Data::Enum(_) | Data::Union(_) => Vec::new(),
    }
}

/// The path of the engine, which another crate may export: `crate = playhouse`.
fn engine(members: &[Member]) -> Result<Path> {
    let named = members.iter().find(|member| member.is("crate"));
    match named.map(Member::value).transpose()? {
        Some(Expr::Path(path)) => Ok(path.path.clone()),
        Some(other) => Err(Error::new_spanned(other, "a path is needed")),
        None => Ok(syn::parse_quote!(::playhouse_engine)),
    }
}

impl Event<'_> {
    /// The item of `Telling` that a member says; `None` if it is none.
    fn telling(&self, member: &Member) -> Result<Option<TokenStream>> {
        let (key, engine, fields) = (&member.key, &self.engine, &self.fields);
        Ok(Some(match key.to_string().as_str() {
            "style" => {
                let style = self.style(member)?;
                quote!(fn style(&self) -> #engine::event::EventStyle { #style })
            }
            "third_person" | "line" => {
                let told = member.told(fields, &quote!(to))?;
                let to = member.name()?.map_or(quote!(_), |_| quote!(to));
                quote! {
                    fn #key(
                        &self,
                        #to: &#engine::event::Recipients<'_>,
                    ) -> Option<#engine::locale::UiText> {
                        #told
                    }
                }
            }
            "heading" => {
                let told = member.told(fields, &TokenStream::new())?;
                quote!(fn heading(&self) -> Option<#engine::locale::UiText> { #told })
            }
            "words" => {
                let words = member.field()?;
                let words = match member.value()? {
                    Expr::MethodCall(_) => words,
                    _ => quote!(Some(&#words)),
                };
                quote!(fn words(&self) -> Option<&str> { #words })
            }
            "target" => {
                let target = member.field()?;
                quote! {
                    fn target(&self) -> Option<&str> {
                        (!#target.is_empty()).then_some(&#target)
                    }
                }
            }
            "sight" => {
                let sight = member.told(fields, &TokenStream::new())?;
                quote!(fn sight(&self) -> Option<#engine::event::Sight<'_>> { #sight })
            }
            "day" => {
                let day = member.field()?;
                quote!(fn day(&self) -> Option<u32> { Some(#day) })
            }
            "board" => {
                let told = member.told(fields, &TokenStream::new())?;
                quote!(fn board(&self) -> Option<#engine::event::EventData> { #told })
            }
            "place" => {
                let place = member.field()?;
                quote!(fn place(&self) -> Option<&str> { Some(&#place) })
            }
            _ => return Ok(None),
        }))
    }

    /// A variant of `EventStyle`, or what a method returns.
    fn style(&self, member: &Member) -> Result<TokenStream> {
        let engine = &self.engine;
        let name = member.name()?;
        let variant = name.filter(|name| name.to_string().starts_with(char::is_uppercase));
        Ok(match variant {
            Some(variant) => quote!(#engine::event::EventStyle::#variant),
            None => {
                let method = member.method()?;
                quote!(#method())
            }
        })
    }

    /// The item of `AgentEvent` that a member says.
    fn item(&self, member: &Member) -> Result<TokenStream> {
        let engine = &self.engine;
        Ok(match member.key.to_string().as_str() {
            "not_recallable" => quote!(
                const RECALLABLE: bool = false;
            ),
            "no_trigger" => quote!(
                const TRIGGERS_RECALL: bool = false;
            ),
            "private" => quote!(
                fn is_public(&self) -> bool {
                    false
                }
            ),
            "own" => quote!(
                fn is_own(&self) -> bool {
                    true
                }
            ),
            "tells_nothing" => quote!(
                fn tells_by_words(&self) -> bool {
                    false
                }
            ),
            "seen" | "heard" => {
                let fields: Vec<_> = match member.value()? {
                    Expr::Tuple(tuple) => tuple.elems.iter().collect(),
                    single => vec![single],
                };
                let fields = fields.iter().map(|field| quote!(#field).to_string());
                let sense = match member.is("seen") {
                    true => quote!(Sight),
                    false => quote!(Hearing),
                };
                quote!(
                    const PERCEIVED: Option<(#engine::cast::Sense, &'static [&'static str])> =
                        Some((#engine::cast::Sense::#sense, &[#(#fields),*]));
                )
            }
            "speaker" => {
                let field = member.field()?;
                quote!(fn speaker(&self) -> Option<&str> { Some(&#field) })
            }
            "doer" => {
                let field = member.field()?;
                quote!(fn doer(&self) -> Option<&str> { Some(&#field) })
            }
            "along" => {
                let field = member.field()?;
                quote!(fn along(&self) -> &[String] { &#field })
            }
            "spoken" => {
                let field = member.field()?;
                let spoken = match member.value()? {
                    Expr::MethodCall(_) => field,
                    _ => quote!(Some(&mut #field)),
                };
                quote!(fn spoken(&mut self) -> Option<&mut String> { #spoken })
            }
            "tells" => {
                let field = member.field()?;
                quote!(fn tells(&self) -> &[String] { &#field })
            }
            "template" => {
                let name = member.value()?;
                quote!(fn template() -> String { #name.into() })
            }
            "short_template" => {
                let name = member.value()?;
                quote!(fn short_template() -> Option<String> { Some(#name.into()) })
            }
            "text" => {
                let (fields, value) = (&self.fields, member.value()?);
                let text = match member.name()? {
                    Some(method) => quote!(self.#method(phrases, data)),
                    None => quote! {
                        let _ = (phrases, data);
                        #[allow(unused_variables)]
                        let Self { #(#fields),* } = self;
                        Ok(#value)
                    },
                };
                quote! {
                    fn text(
                        &self,
                        phrases: &#engine::event::Phrasebook,
                        data: &#engine::event::EventData,
                    ) -> ::std::result::Result<String, #engine::event::PhraseError> {
                        #text
                    }
                }
            }
            "knower" => {
                let method = member.method()?;
                quote!(fn knower(&self) -> Option<&str> { #method() })
            }
            "tags" => {
                let method = member.method()?;
                quote!(fn tags(&self) -> #engine::message::Tags { #method() })
            }
            "media" => {
                let media = member.field()?;
                quote!(fn media(&self) -> Vec<#engine::message::Block> { #media })
            }
            "happening" => {
                let method = member.method()?;
                quote!(fn happening(&self) -> Option<#engine::context::Noting> { #method() })
            }
            "own_happening" => {
                let method = member.method()?;
                quote! {
                    fn own_happening(&self) -> Option<(&str, #engine::context::Noting)> {
                        #method()
                    }
                }
            }
            _ => {
                let message = "unknown; see the table of `derive(AgentEvent)`";
                return Err(Error::new(member.key.span(), message));
            }
        })
    }
}
