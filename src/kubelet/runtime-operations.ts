/** Counts and times every call to the runtime under upstream's names (pkg/kubelet/kuberuntime/instrumented_services.go). */
import type { ImageService, RuntimeService } from '../cri/index.ts';
import { type Clock, exponentialBuckets, type MetricsRegistry } from '../lib/index.ts';

/** The port's methods as upstream calls them; `events` is a stream and has metrics of its own. */
const RUNTIME_OPERATIONS: Readonly<Record<string, string>> = {
  version: 'version',
  status: 'status',
  runSandbox: 'run_podsandbox',
  stopSandbox: 'stop_podsandbox',
  removeSandbox: 'remove_podsandbox',
  listSandboxes: 'list_podsandbox',
  sandboxStatus: 'podsandbox_status',
  createContainer: 'create_container',
  startContainer: 'start_container',
  stopContainer: 'stop_container',
  removeContainer: 'remove_container',
  listContainers: 'list_containers',
  containerStatus: 'container_status',
  updateContainerResources: 'update_container',
  reopenContainerLog: 'reopen_container_log',
  containerStats: 'list_container_stats',
  execSync: 'exec_sync',
  exec: 'exec',
  openExec: 'exec',
  attach: 'attach',
  portForward: 'port_forward',
  updatePodCidr: 'update_runtime_config',
} satisfies Partial<Record<keyof RuntimeService, string>>;

const IMAGE_OPERATIONS: Readonly<Record<string, string>> = {
  list: 'list_images',
  status: 'image_status',
  pull: 'pull_image',
  remove: 'remove_image',
  fsInfo: 'image_fs_info',
} satisfies Partial<Record<keyof ImageService, string>>;

interface Measuring {
  readonly clock: Clock;
  readonly metrics: MetricsRegistry;
}

export function measuredRuntime(runtime: RuntimeService, measuring: Measuring): RuntimeService {
  return measured(runtime, RUNTIME_OPERATIONS, measuring);
}

export function measuredImages(images: ImageService, measuring: Measuring): ImageService {
  return measured(images, IMAGE_OPERATIONS, measuring);
}

type Call = (...args: unknown[]) => Promise<unknown>;

/** The same service; calls that are not in `operations` pass through uncounted. */
function measured<T extends object>(
  service: T,
  operations: Readonly<Record<string, string>>,
  { clock, metrics }: Measuring,
): T {
  const labels = ['operation_type'];
  const total = metrics.counter({ name: 'kubelet_runtime_operations_total', help: 'Calls to the runtime.', labels });
  const errors = metrics.counter({
    name: 'kubelet_runtime_operations_errors_total',
    help: 'Calls to the runtime that failed.',
    labels,
  });
  const duration = metrics.histogram({
    name: 'kubelet_runtime_operations_duration_seconds',
    help: 'How long calls to the runtime take.',
    labels,
    buckets: exponentialBuckets(0.005, 2.5, 14),
  });
  const counted =
    (operation: string, call: Call): Call =>
    async (...args) => {
      const began = clock.now().mono;
      const own = { operation_type: operation };
      total.inc(own);
      try {
        return await call(...args);
      } catch (error) {
        errors.inc(own);
        throw error;
      } finally {
        duration.observe((clock.now().mono - began) / 1000, own);
      }
    };
  const methods = new Map<string, unknown>();
  return new Proxy(service, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name);
      if (typeof value !== 'function' || typeof name !== 'string') return value;
      const known = methods.get(name);
      if (known !== undefined) return known;
      const operation = operations[name];
      const bound = (value as Call).bind(target);
      const method = operation === undefined ? bound : counted(operation, bound);
      methods.set(name, method);
      return method;
    },
  });
}
