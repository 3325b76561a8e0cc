/** Runs the real kubelet on a simulated node. */
import { createKubelet } from '../kubelet/index.ts';
import type { RunAgent } from './sim-node.ts';

export const runKubelet: RunAgent = (ports, config, signal) => createKubelet(ports, config).run(signal);
