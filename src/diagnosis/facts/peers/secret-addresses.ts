/** Finds where the values of a Secret lead: schemes, hosts and ports, and nothing else of them. Pure. */
import { isOfHost } from './spec-peers.ts';

/** What stands before an address in the value of a key, or in a line of a file. */
const NAMES_ADDRESS = /(?:host(?:name)?s?|server|addr(?:ess)?(?:es)?|endpoints?|brokers?)$/i;
/** Without a scheme a value of such a key is an address only with a port or a domain: it may be a token as well. */
const NAMES_URL = /(?:ur[li]|dsn)$/i;
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
  // A line that is cut may end in the middle of a password.
  const known = value.length <= MAX_TEXT ? value : value.slice(0, value.lastIndexOf('\n', MAX_TEXT) + 1);
  const text = known.trim();
  // A name with a line end or a space at its edge leads nowhere; another rule tells of it.
  const isWhole = text === known || urlsIn(text) !== '';
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
  const isOfUrl = NAMES_URL.test(name);
  if (!isOfUrl && !NAMES_ADDRESS.test(name) && !isOfHost(name)) return '';
  const all = value.split(',');
  const areAddresses = all.every((each) => ADDRESS.test(each) && (!isOfUrl || /[.:]/.test(each)));
  return all.length <= MAX_ADDRESSES && areAddresses ? value : '';
}

/** A URL up to the next one of a list: "http://es-0:9200,http://es-1:9200". */
const URLS = /\b([a-z][a-z0-9+.-]{1,30}):\/\/((?:(?!,[a-z][a-z0-9+.-]{1,30}:\/\/)[^\s"'`<>])+)/gi;
const HOST = /^(?:\[[\da-f:]{2,40}\]|[\w-]{1,63}(?:\.[\w-]{1,63}){0,10})(?::\d{2,5})?$/i;

/** Empty where one of the URLs can be read in two ways: a part of a password would be taken for an address. */
function urlsIn(text: string): string {
  const all = [...text.matchAll(URLS)].slice(0, MAX_ADDRESSES + 1);
  // A blank or a quotation mark in a password ends what looks like the URL before its "@".
  if (count(text, '@') !== all.reduce((sum, [url]) => sum + count(url, '@'), 0)) return '';
  const found = all.map(([, scheme = '', rest = '']) =>
    hostsIn(rest).map((host) => `${scheme.toLowerCase()}://${host}`),
  );
  return found.length > MAX_ADDRESSES || found.some((each) => each.length === 0) ? '' : found.flat().join(' ');
}

/** "m-0.mongo:27017", "m-1.mongo:27017", of what follows the scheme; empty where the end of user and password is not certain. */
function hostsIn(rest: string): readonly string[] {
  const [before = '', behind, ...more] = rest.split('@');
  if (more.length > 0 || (behind !== undefined && /[/?#]/.test(before))) return [];
  const hosts = ((behind ?? before).split(/[/?#]/, 1)[0] ?? '').replace(/[,;)\]}]+$/, '').split(',');
  return hosts.length <= MAX_ADDRESSES && hosts.every((host) => HOST.test(host)) ? hosts : [];
}

function count(text: string, sign: string): number {
  return text.split(sign).length - 1;
}
