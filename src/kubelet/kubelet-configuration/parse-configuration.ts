/**
 * Parses a KubeletConfiguration file (kubelet.config.k8s.io/v1beta1, YAML or JSON) into settings. Strict: an unknown or
 * invalid field is an error; a field of upstream's that mendlet ignores is a warning. Pure.
 */
import { errorMessage, parseDocument, splitDocuments } from '../../lib/index.ts';
import { parseThresholds, ThresholdError } from '../eviction/thresholds.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import { FieldError, FIELDS } from './fields.ts';
import { UNHEEDED_FIELDS } from './upstream-fields.ts';

export const CONFIGURATION_API_VERSION = 'kubelet.config.k8s.io/v1beta1';
export const CONFIGURATION_KIND = 'KubeletConfiguration';

export interface ParsedConfiguration {
  readonly settings: KubeletSettings;
  /** `FILE:LINE: text`; empty: the file is good. */
  readonly problems: readonly string[];
  readonly warnings: readonly string[];
}

/** `file`: its name, for messages. With problems the settings are not to be used. */
export function parseConfiguration(file: string, text: string): ParsedConfiguration {
  const bad = (problem: string): ParsedConfiguration => ({
    settings: DEFAULT_SETTINGS,
    problems: [problem],
    warnings: [],
  });
  const documents = splitDocuments(text);
  const [document] = documents;
  if (document === undefined) return bad(`${file}: the file is empty`);
  if (documents.length > 1) return bad(`${file}:${documents[1]?.line}: one document is wanted, not several`);
  let value: unknown;
  try {
    value = parseDocument(document);
  } catch (error) {
    return bad(`${file}: ${errorMessage(error).split('\n')[0]}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return bad(`${file}: not an object`);
  const { apiVersion, kind, ...fields } = value as Record<string, unknown>;
  if (apiVersion !== CONFIGURATION_API_VERSION || kind !== CONFIGURATION_KIND) {
    const found = `apiVersion ${JSON.stringify(apiVersion ?? '')}, kind ${JSON.stringify(kind ?? '')}`;
    return bad(`${file}: ${found}: wanted are ${CONFIGURATION_API_VERSION} and ${CONFIGURATION_KIND}`);
  }
  return readFields(fields, (path) => `${file}${lineOf(text, path)}: ${path}`);
}

function readFields(fields: Readonly<Record<string, unknown>>, at: (path: string) => string): ParsedConfiguration {
  const problems: string[] = [];
  const warnings: string[] = [];
  let settings = beforeReading(fields);
  for (const [name, value] of Object.entries(fields)) {
    const field = Object.hasOwn(FIELDS, name) ? FIELDS[name] : undefined;
    // Null is the same as nothing, as in every Kubernetes object.
    if (value === null || value === undefined) continue;
    if (field === undefined) {
      if (UNHEEDED_FIELDS.has(name)) warnings.push(`${at(name)}: this field of upstream has no effect here`);
      else problems.push(`${at(name)}: unknown field`);
      continue;
    }
    try {
      settings = field.read(settings, value);
    } catch (error) {
      if (!(error instanceof FieldError)) throw error;
      problems.push(`${at(`${name}${error.path}`)}: ${error.message}`);
    }
  }
  for (const gate of unheededGates(fields['featureGates'])) {
    warnings.push(`${at(`featureGates.${gate}`)}: this feature gate has no effect here`);
  }
  if (problems.length === 0)
    problems.push(...checkTogether(settings, fields).map(([path, what]) => `${at(path)}: ${what}`));
  return { settings, problems, warnings };
}

/** A file that sets how often the status is computed, and not how often it is reported, means both (as upstream). */
function beforeReading(fields: Readonly<Record<string, unknown>>): KubeletSettings {
  const { nodeStatusUpdateFrequency: update, nodeStatusReportFrequency: report } = fields;
  const isBoth = isSet(update) && !isSet(report);
  if (!isBoth) return DEFAULT_SETTINGS;
  try {
    return FIELDS['nodeStatusReportFrequency']?.read(DEFAULT_SETTINGS, update) ?? DEFAULT_SETTINGS;
  } catch (error) {
    // Its own field says so.
    if (error instanceof FieldError) return DEFAULT_SETTINGS;
    throw error;
  }
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null;
}

function unheededGates(gates: unknown): readonly string[] {
  if (typeof gates !== 'object' || gates === null) return [];
  return Object.keys(gates).filter((gate) => gate !== 'EventedPLEG');
}

/** Checks that concern more than one field. */
function checkTogether(
  { imageGc, eviction }: KubeletSettings,
  fields: Readonly<Record<string, unknown>>,
): readonly (readonly [path: string, problem: string])[] {
  const problems: (readonly [string, string])[] = [];
  if (imageGc.lowThresholdPercent >= imageGc.highThresholdPercent) {
    const { lowThresholdPercent: low, highThresholdPercent: high } = imageGc;
    problems.push(['imageGCLowThresholdPercent', `${low} is not below imageGCHighThresholdPercent, ${high}`]);
  }
  if (imageGc.maximumAgeMs !== 0 && imageGc.maximumAgeMs <= imageGc.minimumAgeMs) {
    problems.push(['imageMaximumGCAge', 'it is not longer than imageMinimumGCAge']);
  }
  if (fields['serializeImagePulls'] === true && Number(fields['maxParallelImagePulls'] ?? 1) > 1) {
    problems.push(['maxParallelImagePulls', 'it cannot be above 1 while serializeImagePulls is true']);
  }
  for (const signal of Object.keys(eviction.soft)) {
    if (eviction.softGracePeriodMs[signal] === undefined) {
      problems.push([`evictionSoft[${signal}]`, 'it has no grace in evictionSoftGracePeriod']);
    }
  }
  return problems.length > 0 ? problems : checkThresholds(eviction);
}

/** The first of several mistakes. */
function checkThresholds(eviction: KubeletSettings['eviction']): readonly (readonly [path: string, problem: string])[] {
  try {
    parseThresholds(eviction);
    return [];
  } catch (error) {
    if (error instanceof ThresholdError) return [[error.field, error.message]];
    throw error;
  }
}

/** ":LINE" of the field, where its name is found once as a key. */
function lineOf(text: string, path: string): string {
  const name = path.split(/[.[]/)[0] ?? '';
  const lines = text.split('\n').flatMap((line, index) => (isKey(line, name) ? [index + 1] : []));
  return lines.length === 1 ? `:${lines[0]}` : '';
}

function isKey(line: string, name: string): boolean {
  return line
    .replace(/^[\s{,]*/, '')
    .replace(/^(["'])(.*?)\1/, '$2')
    .startsWith(`${name}:`);
}
