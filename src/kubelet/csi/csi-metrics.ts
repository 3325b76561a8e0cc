/** Calls to drivers as metrics, under upstream's name. */
import { type CsiDriver, CsiError } from '../../csi/index.ts';
import type { Clock, Histogram, MetricsRegistry } from '../../lib/index.ts';
import { BoundedNames } from './bounded-names.ts';
import { MAX_DRIVERS } from './limits.ts';

/** Upstream's buckets, seconds. */
const BUCKETS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 25, 50, 120, 300, 600];

const METHODS: Readonly<Record<Exclude<keyof CsiDriver, 'close'>, string>> = {
  info: 'NodeGetInfo',
  capabilities: 'NodeGetCapabilities',
  stage: 'NodeStageVolume',
  unstage: 'NodeUnstageVolume',
  publish: 'NodePublishVolume',
  unpublish: 'NodeUnpublishVolume',
  stats: 'NodeGetVolumeStats',
  expand: 'NodeExpandVolume',
};

export class CsiMetrics {
  readonly #clock: Pick<Clock, 'now'>;
  readonly #seconds: Histogram;
  /** A plugin that registers under one name after another makes no series without end. */
  readonly #names = new BoundedNames(MAX_DRIVERS);

  constructor(metrics: MetricsRegistry, clock: Pick<Clock, 'now'>) {
    this.#clock = clock;
    this.#seconds = metrics.histogram({
      name: 'csi_operations_seconds',
      help: 'How long calls to CSI drivers took, by their outcome.',
      labels: ['driver_name', 'method_name', 'grpc_status_code', 'migrated'],
      buckets: BUCKETS,
    });
  }

  /** The same driver, whose calls are counted. */
  measured(name: string, driver: CsiDriver): CsiDriver {
    const timed = <T>(method: keyof typeof METHODS, call: () => Promise<T>): Promise<T> =>
      this.#timed(name, method, call);
    return {
      info: () => timed('info', () => driver.info()),
      capabilities: () => timed('capabilities', () => driver.capabilities()),
      stage: (request) => timed('stage', () => driver.stage(request)),
      unstage: (...given) => timed('unstage', () => driver.unstage(...given)),
      publish: (request) => timed('publish', () => driver.publish(request)),
      unpublish: (...given) => timed('unpublish', () => driver.unpublish(...given)),
      stats: (...given) => timed('stats', () => driver.stats(...given)),
      expand: (request) => timed('expand', () => driver.expand(request)),
      close: () => driver.close(),
    };
  }

  async #timed<T>(name: string, method: keyof typeof METHODS, call: () => Promise<T>): Promise<T> {
    const begun = this.#clock.now().mono;
    const done = (code: string): void =>
      this.#seconds.observe((this.#clock.now().mono - begun) / 1000, {
        driver_name: this.#names.label(name),
        method_name: `/csi.v1.Node/${METHODS[method]}`,
        grpc_status_code: code,
        migrated: 'false',
      });
    try {
      const result = await call();
      done('OK');
      return result;
    } catch (error) {
      done(error instanceof CsiError ? error.code : 'Unknown');
      throw error;
    }
  }
}
