/** Stunnel: why a certificate is refused stands above the error of its library, which only says that it is. */
import { anyOf } from '../any-of.ts';
import type { Dialect } from './dialect.ts';

export const stunnel: Dialect = {
  name: 'stunnel',
  recognises: anyOf(
    /\bCERT: (?:Pre-verification error|No matching|Host name)/,
    /\bRejected by (?:CERT|OCSP) at depth=\d/,
    /\bService \[[^\]]{1,60}\] (?:accepted connection from|connected remote server)/,
    /\bs_connect: connect/,
    /\bstunnel \d[\d.]{1,8} on /,
  ),
  noise: anyOf(/^No trusted certificates found/, /^No more addresses to connect/),
  recovery: /^Configuration successful/,
  consequence: anyOf(
    /^SSL_(?:connect|accept): .*(?:certificate verify failed|tls_process_server_certificate)/,
    /^Connection (?:reset|closed\/reset|closed): \d+ byte/,
    /^Rejected by (?:CERT|OCSP) at depth=/,
  ),
  decisive: anyOf(/^CERT: (?:Pre-verification error|No matching|Host name|Subject checks failed)/),
};
