/** The real kubelet as a simulated node runs it. */
import { createKubelet } from '../kubelet/index.ts';
import type { RunAgent } from './sim-node.ts';

export const runKubelet: RunAgent = (ports, config, signal) => createKubelet(ports, config).run(signal);
