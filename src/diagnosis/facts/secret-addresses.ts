/** Finds where the values of a Secret lead: schemes, hosts and ports, and nothing else of them. Pure. */
import { formatHost, peersOfUrls } from '../../log-analysis/index.ts';
import { isOfHost } from './spec-peers.ts';

/** What stands before an address in the value of a key, or in a line of a file. */
const NAMES_ADDRESS = /(?:host(?:name)?s?|server|addr(?:ess)?(?:es)?|endpoints?|brokers?|ur[li]|dsn)$/i;
const NAMES_PORT = /port$/i;
const PORT = /^\d{2,5}$/;
/** "db", "db.shop.svc:5432", "10.2.3.4:5432"; a name in it is no longer than DNS allows. */
const ADDRESS = /^(?:[a-z][a-z0-9-]{0,62}(?:\.[a-z0-9-]{1,63}){0,8}|\d{1,3}(?:\.\d{1,3}){3})(?::\d{2,5})?$/;
/** "kafka-0:9092,kafka-1:9092" */
const MAX_ADDRESSES = 10;
const SETTING = /^(\s{0,40})["']?([\w.-]{1,80})["']?\s{0,4}[:=]\s{0,4}["']?([^\s"']{1,300})["']?,?\s*$/;
/** A comment tells nothing, and where a program listens itself is no peer. */
const NO_PEER = /^\s{0,40}(?:#|\/\/|;)|listen|bind|\b0\.0\.0\.0\b/i;
/** Characters of a value that are searched. */
const MAX_TEXT = 16_384;

/**
 * A text that stands for the value of a Secret's key: its lines with schemes, hosts and ports alone, without users, passwords, paths and
 * parameters; a line that names no peer is empty.
 *
 * @param key the name of the key: "DATABASE_URL", "host", "app.yaml"
 * @returns undefined where the value names no peer
 */
export function secretAddresses(key: string, value: string): string | undefined {
  const text = value.slice(0, MAX_TEXT).trim();
  // A name with a line end or a space at its edge leads nowhere; another rule tells of it.
  const isWhole = text === value || urlsIn(text) !== '';
  const lines = text.includes('\n')
    ? text.split('\n').map((line) => ofLine(line))
    : [isWhole ? ofValue(key, text) : ''];
  return lines.some((line) => line !== '') ? lines.join('\n') : undefined;
}

function ofLine(line: string): string {
  if (NO_PEER.test(line)) return '';
  const urls = urlsIn(line);
  if (urls !== '') return urls;
  const [, indent = '', name = '', value = ''] = SETTING.exec(line) ?? [];
  const address = ofValue(name, value);
  return address === '' ? '' : `${indent}${NAMES_PORT.test(name) ? 'port' : 'host'}: ${address}`;
}

function ofValue(name: string, value: string): string {
  const urls = urlsIn(value);
  if (urls !== '') return urls;
  if (NAMES_PORT.test(name)) return PORT.test(value) ? value : '';
  if (!NAMES_ADDRESS.test(name) && !isOfHost(name)) return '';
  const all = value.split(',');
  return all.length <= MAX_ADDRESSES && all.every((each) => ADDRESS.test(each)) ? value : '';
}

/** Behind the address of a URL no further "@" stands, or a part of the password was taken for the address. */
const AMBIGUOUS = /:\/\/[^\s"'@]{0,400}@[^\s"'@]{0,400}@|:\/\/[^\s"'/@]{0,400}\/[^\s"'@]{0,400}@/;

function urlsIn(text: string): string {
  if (AMBIGUOUS.test(text)) return '';
  return peersOfUrls(text)
    .slice(0, MAX_ADDRESSES)
    .map(({ scheme, host, port }) => `${scheme}://${formatHost(host, port)}`)
    .join(' ');
}
