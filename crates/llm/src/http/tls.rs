//! Certificates that a model file names: that of a server, which may have signed it itself, or of a
//! company's own authority.

use std::path::Path;
use std::sync::Arc;

use playhouse_engine::files;
use playhouse_engine::locale::{Localize, UiText, text};
use rustls::client::WebPkiServerVerifier;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::{ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

/// Larger files are refused.
const MOST_BYTES: u64 = 1024 * 1024;

/// Connections that trust the certificates in a file, and no others.
pub(super) fn trusting(file: &Path) -> Result<ClientConfig, UiText> {
    let pem = files::read(file, MOST_BYTES).map_err(|error| error.text())?;
    let certificates = CertificateDer::pem_slice_iter(&pem).collect::<Result<Vec<_>, _>>();
    let unusable = || text!(mind_no_certificate, file);
    let named = certificates
        .ok()
        .filter(|named| !named.is_empty())
        .ok_or_else(unusable)?;
    let mut roots = RootCertStore::empty();
    roots.add_parsable_certificates(named.iter().cloned());
    let provider = Arc::new(ring::default_provider());
    let by_roots = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), provider.clone());
    let verifier = NamedCertificates {
        by_roots: by_roots.build().map_err(|_| unusable())?,
        named,
        provider: provider.clone(),
    };
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| unusable())?
        .dangerous()
        .with_custom_certificate_verifier(Arc::new(verifier))
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// Accepts the named certificates themselves, and those that they signed.
#[derive(Debug)]
struct NamedCertificates {
    by_roots: Arc<WebPkiServerVerifier>,
    named: Vec<CertificateDer<'static>>,
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for NamedCertificates {
    fn verify_server_cert(
        &self,
        certificate: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        if self.named.contains(certificate) {
            return Ok(ServerCertVerified::assertion());
        }
        let by_roots = &self.by_roots;
        by_roots.verify_server_cert(certificate, intermediates, name, ocsp, now)
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls12_signature(message, certificate, signed, algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        let algorithms = &self.provider.signature_verification_algorithms;
        verify_tls13_signature(message, certificate, signed, algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.by_roots.supported_verify_schemes()
    }
}
