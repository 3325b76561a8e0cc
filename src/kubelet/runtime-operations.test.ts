import { expect, it } from 'vitest';
import { type ImageService, RuntimeError, type RuntimeService } from '../cri/index.ts';
import { createMetrics } from '../lib/index.ts';
import { createManualClock } from '../lib/manual-clock.node.ts';
import { measuredImages, measuredRuntime } from './runtime-operations.ts';

class Runtime {
  readonly #name = 'own field';
  version = async () => ({ runtimeName: this.#name, runtimeVersion: '1', apiVersion: 'v1' });
  stopSandbox(): Promise<void> {
    return Promise.reject(new RuntimeError('Unavailable', `${this.#name} is away`));
  }
  events(): string {
    return this.#name;
  }
}

it('counts calls and failures under upstream’s names', async () => {
  const metrics = createMetrics();
  const measuring = { clock: createManualClock(), metrics };
  const runtime = measuredRuntime(new Runtime() as unknown as RuntimeService, measuring);
  const images = measuredImages({ list: async () => [] } as unknown as ImageService, measuring);
  expect(await runtime.version()).toMatchObject({ runtimeName: 'own field' });
  await expect(runtime.stopSandbox('x')).rejects.toThrow('own field is away');
  await images.list();
  expect(runtime.events(new AbortController().signal, () => {})).toBe('own field');
  const text = metrics.text();
  for (const line of [
    'kubelet_runtime_operations_total{operation_type="version"} 1',
    'kubelet_runtime_operations_total{operation_type="stop_podsandbox"} 1',
    'kubelet_runtime_operations_errors_total{operation_type="stop_podsandbox"} 1',
    'kubelet_runtime_operations_total{operation_type="list_images"} 1',
    'kubelet_runtime_operations_duration_seconds_count{operation_type="version"} 1',
  ])
    expect(text.split('\n')).toContain(line);
  expect(text).not.toContain('errors_total{operation_type="version"}');
});
