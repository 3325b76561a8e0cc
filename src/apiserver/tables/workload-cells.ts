/** Cells that the tables of several workloads share. Upstream: layoutContainerCells. */
import { formatLabelSelector, labelSelectorOf, type LabelSelector, type PodTemplateSpec } from '../../api/index.ts';
import { column, type ColumnDefinition } from './table.ts';

export const containersColumn: ColumnDefinition = column('Containers', {
  wide: true,
  description: 'Names of the containers in the template.',
});
export const imagesColumn: ColumnDefinition = column('Images', { wide: true, description: 'Their images.' });
export const selectorColumn: ColumnDefinition = column('Selector', {
  wide: true,
  description: 'Labels that its pods have.',
});

/** Names and images of the template's containers: the cells of the two columns. */
export function containerCells(template: PodTemplateSpec | undefined): readonly [string, string] {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image = '' }) => image).join(',')];
}

export function selectorText(selector: LabelSelector | undefined): string {
  const parsed = labelSelectorOf(selector);
  if (parsed === undefined) return '<none>';
  return formatLabelSelector(parsed) || '<none>';
}

/** "a=b,c=d", keys sorted; "<none>" for no labels. */
export function labelsText(labels: Readonly<Record<string, string>> | undefined): string {
  const texts = Object.entries(labels ?? {}).map(([name, value]) => `${name}=${value}`);
  return texts.sort().join(',') || '<none>';
}
