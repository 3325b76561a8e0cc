/** Parsers of flag values of nodes and control planes. Pure. */
import { isCidr, isIpAddress } from '../api/index.ts';
import type { Taint } from '../api/index.ts';
import { UsageError } from './usage-error.ts';

const NAME = /^[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?$/;
const PREFIX = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'];

/** Labels of Kubernetes' own domains that a node may give itself (upstream: IsKubeletLabel). */
const KUBELET_LABELS = [
  'kubernetes.io/hostname',
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'beta.kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'failure-domain.beta.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'topology.kubernetes.io/zone',
];
const KUBELET_NAMESPACES = ['kubelet.kubernetes.io', 'node.kubernetes.io'];

/** `KEY=VALUE,KEY=VALUE` */
export function parseNodeLabels(text: string): Readonly<Record<string, string>> {
  const labels: Record<string, string> = {};
  for (const part of text.split(',').filter((each) => each !== '')) {
    const [key = '', value = '', ...rest] = part.split('=');
    if (!part.includes('=') || !isQualifiedName(key) || rest.length > 0 || !isLabelValue(value)) {
      throw new UsageError(`"${part}" is not a label: give KEY=VALUE,KEY=VALUE.`);
    }
    if (!mayLabelItself(key)) {
      throw new UsageError(`A node may not give itself the label ${key}; an administrator may: kubectl label node.`);
    }
    labels[key] = value;
  }
  return labels;
}

function mayLabelItself(key: string): boolean {
  const domain = key.includes('/') ? key.slice(0, key.indexOf('/')) : '';
  const isKubernetes = ['kubernetes.io', 'k8s.io'].some((name) => domain === name || domain.endsWith(`.${name}`));
  if (!isKubernetes || KUBELET_LABELS.includes(key)) return true;
  return KUBELET_NAMESPACES.some((name) => domain === name || domain.endsWith(`.${name}`));
}

/** `KEY=VALUE:EFFECT,KEY:EFFECT`, each key and effect once */
export function parseTaints(text: string): readonly Taint[] {
  const taints = text
    .split(',')
    .filter((each) => each !== '')
    .map((part) => {
      const match = /^([^=:]+)(?:=([^=:]*))?:(\w+)$/.exec(part);
      const [, key = '', value, effect = ''] = match ?? [];
      if (!isQualifiedName(key) || !isLabelValue(value ?? '') || !EFFECTS.includes(effect)) {
        throw new UsageError(`"${part}" is not a taint: give KEY=VALUE:EFFECT, with one of ${EFFECTS.join(', ')}.`);
      }
      return { key, effect, ...(value !== undefined && value !== '' && { value }) };
    });
  const names = taints.map(({ key, effect }) => `${key}:${effect}`);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  // The API server would refuse a node with such taints.
  if (twice !== undefined) throw new UsageError(`${twice} is given twice.`);
  return taints;
}

function isQualifiedName(key: string): boolean {
  const at = key.indexOf('/');
  if (at === -1) return NAME.test(key);
  const prefix = key.slice(0, at);
  return prefix.length <= 253 && PREFIX.test(prefix) && NAME.test(key.slice(at + 1));
}

function isLabelValue(value: string): boolean {
  return value === '' || NAME.test(value);
}

export function parseIpAddress(text: string): string {
  if (!isIpAddress(text)) throw new UsageError(`${text} is not an IP address.`);
  if (/^(0\.0\.0\.0|::|127\..*|::1)$/.test(text)) throw new UsageError(`Others cannot reach ${text}.`);
  return text;
}

/** `https://HOST[:PORT]`, or `HOST[:PORT]`; the usual port is 6443. @returns the URL without a path */
export function parseServerUrl(text: string): string {
  const url = URL.parse(text.includes('://') ? text : `https://${text}`);
  if (url === null || url.protocol !== 'https:' || url.hostname === '' || url.username !== '' || url.search !== '') {
    throw new UsageError('Give the URL of the API server, for instance https://192.0.2.1:6443.');
  }
  if (url.pathname !== '/') throw new UsageError('The URL of the API server has no path.');
  const hasPort = /:\d+\/*$/.test(text);
  return `https://${url.hostname}:${url.port === '' ? (hasPort ? '443' : '6443') : url.port}`;
}

/** The mask size of each node's part of the pods' network, 9 to 28. */
export function parseMaskSize(text: string): number {
  const size = Number(text);
  if (!/^\d+$/.test(text) || size < 9 || size > 28) throw new UsageError('Give a mask size from 9 to 28.');
  return size;
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** A length of time as Go writes it ("24h", "0"); 0: for ever. @returns ms */
export function parseLifetime(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined) throw new UsageError('Give a length of time, for instance 24h or 30m; 0: for ever.');
  return milliseconds;
}

/** A length of time as Go writes it ("1m30s", "0"). @returns ms */
export function parseDuration(text: string): number {
  const milliseconds = millisecondsOf(text);
  if (milliseconds === undefined) throw new UsageError('Give a length of time, for instance 40s or 5m.');
  return milliseconds;
}

function millisecondsOf(text: string): number | undefined {
  if (text === '0') return 0;
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)/g)];
  if (parts.length === 0 || parts.map(([part]) => part).join('') !== text) return undefined;
  return parts.reduce((sum, [, number, unit]) => sum + Number(number) * (UNITS[unit ?? ''] ?? 0), 0);
}

/** "true" or "false". */
export function parseSwitch(text: string): boolean {
  if (text !== 'true' && text !== 'false') throw new UsageError('Give true or false.');
  return text === 'true';
}

/** A whole number, 0 or more. */
export function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new UsageError('Give a whole number, 0 or more.');
  return Number(text);
}

/** A rate per second, 0 or more. */
export function parseRate(text: string): number {
  if (!/^\d{1,6}(\.\d{1,6})?$/.test(text)) throw new UsageError('Give a rate per second, for instance 0.1.');
  return Number(text);
}

/** A share, 0 to 1. */
export function parseShare(text: string): number {
  if (!/^\d(\.\d{1,6})?$/.test(text) || Number(text) > 1)
    throw new UsageError('Give a share from 0 to 1, for instance 0.55.');
  return Number(text);
}

/** Ranges of addresses: "127.0.0.0/8,fd00::/8". */
export function parseRanges(text: string): readonly string[] {
  const ranges = text.split(',').map((each) => each.trim());
  const bad = ranges.find((each) => !isCidr(each));
  if (bad !== undefined)
    throw new UsageError(`Give ranges of addresses, as in 10.0.0.7/32,fd00::/8; not ${JSON.stringify(bad)}.`);
  return ranges;
}
