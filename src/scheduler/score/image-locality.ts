/** Score: nodes that have the pod's images. An image counts for less where few nodes have it, lest all its pods gather there. */
import type { Container } from '../../api/index.ts';
import { MAX_SCORE, type Score } from './score.ts';

const MIB = 1024 * 1024;
/** Fewer bytes score 0; more bytes score no higher. */
const LEAST_BYTES = 23 * MIB;
const MOST_BYTES_PER_CONTAINER = 1000 * MIB;

export const imageLocality: Score = ({ pod }, candidates, cluster) => {
  const containers: readonly Container[] = [...(pod.spec?.initContainers ?? []), ...(pod.spec?.containers ?? [])];
  const names = containers.map(({ image = '' }) => normalizedName(image));
  const spread = names.map((name) => cluster.imageSpread(name) / Math.max(1, cluster.nodes.length));
  if (spread.every((share) => share === 0)) return undefined;
  const most = MOST_BYTES_PER_CONTAINER * containers.length;
  return candidates.map(({ images }) => {
    const sum = names.reduce((bytes, name, i) => bytes + Math.trunc((images.get(name) ?? 0) * (spread[i] ?? 0)), 0);
    const bytes = Math.min(Math.max(sum, LEAST_BYTES), most);
    return Math.trunc((MAX_SCORE * (bytes - LEAST_BYTES)) / (most - LEAST_BYTES));
  });
};

/** The image's name with its tag, as node statuses have it. */
function normalizedName(image: string): string {
  return image.lastIndexOf(':') <= image.lastIndexOf('/') ? `${image}:latest` : image;
}
