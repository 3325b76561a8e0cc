/**
 * The fields of KubeletConfiguration that mendlet uses: how each is read into the settings, and shown by /configz. Names,
 * zero values and bounds are upstream's (pkg/kubelet/apis/config/{v1beta1,validation}). Pure.
 */
import { isIpAddress, parseQuantity } from '../../api/index.ts';
import { formatDuration } from '../go-format.ts';
import { DEFAULT_SETTINGS, type KubeletSettings } from '../settings.ts';
import { parseGoDuration } from './go-duration.ts';

export interface Field {
  /** The settings with this value. @throws FieldError */
  readonly read: (settings: KubeletSettings, value: unknown) => KubeletSettings;
  /** The value in the file's form; `undefined`: not shown. */
  readonly show: (settings: KubeletSettings) => unknown;
}

/** The problem of a value; `path` below the field, e.g. "[2]" or ".memory.available". */
export class FieldError extends Error {
  override readonly name = 'FieldError';
  readonly path: string;
  constructor(message: string, path = '') {
    super(message);
    this.path = path;
  }
}

type Read<T> = (value: unknown) => T;

function shown(value: unknown): string {
  return JSON.stringify(value) ?? String(value);
}

const text: Read<string> = (value) => {
  if (typeof value !== 'string') throw new FieldError(`${shown(value)} is not a string`);
  return value;
};

const flag: Read<boolean> = (value) => {
  if (typeof value !== 'boolean') throw new FieldError(`${shown(value)} is not true or false`);
  return value;
};

function integer(least: number, most = 2 ** 31 - 1): Read<number> {
  return (value) => {
    if (typeof value !== 'number' || !Number.isSafeInteger(value)) {
      throw new FieldError(`${shown(value)} is not a whole number`);
    }
    if (value < least || value > most) throw new FieldError(`${value} is not between ${least} and ${most}`);
    return value;
  };
}

/** In ms. */
function duration(leastMs: number, mostMs = Number.MAX_SAFE_INTEGER): Read<number> {
  return (value) => {
    const ms = typeof value === 'string' ? parseGoDuration(value) : value === 0 ? 0 : undefined;
    if (ms === undefined) throw new FieldError(`${shown(value)} is not a duration such as "1m30s"`);
    if (ms < leastMs) throw new FieldError(`${shown(value)} is shorter than ${formatDuration(leastMs)}`);
    if (ms > mostMs) throw new FieldError(`${shown(value)} is longer than ${formatDuration(mostMs)}`);
    return ms;
  };
}

const bytes: Read<number> = (value) => {
  const problem = new FieldError(`${shown(value)} is not a quantity of bytes such as "10Mi"`);
  if (typeof value !== 'string' && typeof value !== 'number') throw problem;
  let nano: bigint;
  try {
    nano = parseQuantity(value).nano;
  } catch {
    throw problem;
  }
  if (nano <= 0n) throw problem;
  return Number(nano / 1_000_000_000n);
};

/** Name servers must be addresses: they go into every pod's resolv.conf, where a name would resolve nothing. */
const addresses: Read<readonly string[]> = (value) => {
  const list = texts(value);
  const wrong = list.findIndex((item) => !isIpAddress(item));
  if (wrong !== -1) throw new FieldError(`${shown(list[wrong])} is not an IP address`, `[${wrong}]`);
  return list;
};

const texts: Read<readonly string[]> = (value) => {
  if (!Array.isArray(value)) throw new FieldError(`${shown(value)} is not a list`);
  return value.map((item, index) => {
    if (typeof item !== 'string') throw new FieldError(`${shown(item)} is not a string`, `[${index}]`);
    return item;
  });
};

function map<T>(item: Read<T>): Read<Readonly<Record<string, T>>> {
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new FieldError(`${shown(value)} is not a map`);
    }
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        try {
          return [key, item(each)];
        } catch (error) {
          if (error instanceof FieldError) throw new FieldError(error.message, `[${key}]${error.path}`);
          throw error;
        }
      }),
    );
  };
}

/** A zero stands for the default, as everywhere in upstream's file. */
function orDefault<T>(read: Read<T>, fallback: T): Read<T> {
  return (value) => (value === 0 || value === '' || value === '0s' || value === '0' ? fallback : read(value));
}

type Group = 'crashLoopBackOff' | 'containerLogs' | 'imageGc' | 'eviction';

/** A setting of the first level. */
function plain<K extends keyof KubeletSettings>(
  key: K,
  read: Read<NonNullable<KubeletSettings[K]>>,
  show: (value: NonNullable<KubeletSettings[K]>) => unknown = (value) => value,
): Field {
  return {
    read: (settings, value) => ({ ...settings, [key]: read(value) }),
    show: (settings) => {
      const value = settings[key];
      return value === undefined ? undefined : show(value);
    },
  };
}

/** A setting within a group of settings. */
function within<G extends Group, K extends keyof KubeletSettings[G]>(
  group: G,
  key: K,
  read: Read<KubeletSettings[G][K]>,
  show: (value: KubeletSettings[G][K]) => unknown = (value) => value,
): Field {
  return {
    read: (settings, value) => ({ ...settings, [group]: { ...settings[group], [key]: read(value) } }),
    show: (settings) => show(settings[group][key]),
  };
}

const HOUR_MS = 3_600_000;
const { crashLoopBackOff, containerLogs, imageGc, eviction, ...defaults } = DEFAULT_SETTINGS;

const maxRestartPeriod = within(
  'crashLoopBackOff',
  'maxContainerRestartPeriodMs',
  duration(1000, crashLoopBackOff.maxContainerRestartPeriodMs),
  formatDuration,
);

/** Field of the file → setting. */
export const FIELDS: Readonly<Record<string, Field>> = {
  staticPodPath: plain('staticPodPath', text),
  fileCheckFrequency: plain(
    'fileCheckFrequencyMs',
    orDefault(duration(100), defaults.fileCheckFrequencyMs),
    formatDuration,
  ),
  maxPods: plain('maxPods', orDefault(integer(0), defaults.maxPods)),
  podPidsLimit: plain('podPidsLimit', (value) => {
    const limit = integer(-1, Number.MAX_SAFE_INTEGER)(value);
    if (limit === 0) throw new FieldError('0 is neither −1 (unlimited) nor a limit');
    return limit;
  }),
  serializeImagePulls: {
    read: (settings, value) => (flag(value) ? { ...settings, maxParallelImagePulls: 1 } : settings),
    show: (settings) => settings.maxParallelImagePulls === 1,
  },
  maxParallelImagePulls: plain('maxParallelImagePulls', integer(1)),
  allowedUnsafeSysctls: plain('allowedUnsafeSysctls', texts),
  seccompDefault: plain('seccompDefault', flag),
  clusterDNS: plain('clusterDns', addresses),
  clusterDomain: plain('clusterDomain', text),
  resolvConf: plain('resolvConf', text),
  crashLoopBackOff: {
    read: (settings, value) => {
      const entries = Object.entries(map((each) => each)(value));
      return entries.reduce((into, [key, each]) => {
        if (key !== 'maxContainerRestartPeriod') throw new FieldError('unknown field', `.${key}`);
        try {
          return maxRestartPeriod.read(into, each);
        } catch (error) {
          throw error instanceof FieldError ? new FieldError(error.message, `.${key}`) : error;
        }
      }, settings);
    },
    show: (settings) => ({ maxContainerRestartPeriod: maxRestartPeriod.show(settings) }),
  },
  containerLogMaxSize: within('containerLogs', 'maxSizeBytes', bytes, (size) => String(size)),
  containerLogMaxFiles: within('containerLogs', 'maxFiles', integer(2)),
  containerLogMonitorInterval: within(
    'containerLogs',
    'monitorIntervalMs',
    orDefault(duration(3000), containerLogs.monitorIntervalMs),
    formatDuration,
  ),
  imageMinimumGCAge: within('imageGc', 'minimumAgeMs', orDefault(duration(0), imageGc.minimumAgeMs), formatDuration),
  imageMaximumGCAge: within('imageGc', 'maximumAgeMs', duration(0), formatDuration),
  imageGCHighThresholdPercent: within('imageGc', 'highThresholdPercent', integer(0, 100)),
  imageGCLowThresholdPercent: within('imageGc', 'lowThresholdPercent', integer(0, 100)),
  evictionHard: within('eviction', 'hard', map(text)),
  evictionSoft: within('eviction', 'soft', map(text)),
  evictionSoftGracePeriod: within('eviction', 'softGracePeriodMs', map(duration(0)), (periods) =>
    Object.fromEntries(Object.entries(periods).map(([signal, ms]) => [signal, formatDuration(ms)])),
  ),
  evictionMaxPodGracePeriod: within('eviction', 'maxPodGracePeriodSeconds', integer(0)),
  evictionPressureTransitionPeriod: within(
    'eviction',
    'pressureTransitionPeriodMs',
    orDefault(duration(0), eviction.pressureTransitionPeriodMs),
    formatDuration,
  ),
  evictionMinimumReclaim: within('eviction', 'minimumReclaim', map(text)),
  nodeStatusUpdateFrequency: plain(
    'nodeStatusUpdateFrequencyMs',
    orDefault(duration(100, HOUR_MS), defaults.nodeStatusUpdateFrequencyMs),
    formatDuration,
  ),
  nodeStatusReportFrequency: plain(
    'nodeStatusReportFrequencyMs',
    orDefault(duration(100), defaults.nodeStatusReportFrequencyMs),
    formatDuration,
  ),
  nodeLeaseDurationSeconds: plain('nodeLeaseDurationSeconds', orDefault(integer(1), defaults.nodeLeaseDurationSeconds)),
  streamingConnectionIdleTimeout: plain(
    'streamingConnectionIdleTimeoutMs',
    orDefault(duration(0), defaults.streamingConnectionIdleTimeoutMs),
    formatDuration,
  ),
  enableDebuggingHandlers: plain('enableDebuggingHandlers', flag),
  enableSystemLogHandler: plain('enableSystemLogHandler', flag),
  rotateCertificates: plain('rotateCertificates', flag),
  serverTLSBootstrap: plain('serverTlsBootstrap', flag),
  // Ours: upstream's kubelet remembers no deaths.
  deathHistoryRetention: plain('deathHistoryRetentionMs', duration(0), formatDuration),
  featureGates: {
    read: (settings, value) => {
      const gates = map(flag)(value);
      const evented = gates['EventedPLEG'];
      const mode = evented === undefined ? settings.pleg.mode : evented ? 'evented' : 'generic';
      return { ...settings, pleg: { ...settings.pleg, mode } };
    },
    show: ({ pleg }) => (pleg.mode === 'auto' ? undefined : { EventedPLEG: pleg.mode === 'evented' }),
  },
};
