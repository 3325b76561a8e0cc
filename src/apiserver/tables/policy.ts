/** The columns of classes, quotas and templates (upstream: printPriorityClass and its siblings). */
import { type PodTemplate, type PriorityClass, type ResourceQuota, type RuntimeClass } from '../../api/index.ts';
import { ageColumn, column, nameColumn, since, type TableKind } from './table.ts';

export const priorityClassTable: TableKind = {
  columns: [
    nameColumn,
    column('Value', { type: 'integer', description: 'The priority of its pods.' }),
    column('Global-Default', { type: 'boolean', description: 'Whether pods without a class get it.' }),
    ageColumn,
    column('PreemptionPolicy', { description: 'Whether its pods make room for themselves.' }),
  ],
  cells: (object, now) => {
    const { value = 0, globalDefault = false, preemptionPolicy = '' } = object as PriorityClass;
    return [
      object.metadata.name ?? '',
      value,
      globalDefault,
      since(object.metadata.creationTimestamp, now),
      preemptionPolicy,
    ];
  },
};

export const runtimeClassTable: TableKind = {
  columns: [nameColumn, column('Handler', { description: 'What the container runtime calls it.' }), ageColumn],
  cells: (object, now) => [
    object.metadata.name ?? '',
    (object as unknown as RuntimeClass).handler,
    since(object.metadata.creationTimestamp, now),
  ],
};

export const resourceQuotaTable: TableKind = {
  columns: [
    nameColumn,
    column('Request', { description: 'What is used of what may be requested.' }),
    column('Limit', { description: 'What is used of the limits that may be set.' }),
    ageColumn,
  ],
  cells: (object, now) => {
    const { hard = {}, used = {} } = (object as ResourceQuota).status ?? {};
    const texts = Object.keys(hard)
      .sort()
      .map((name) => [name, `${name}: ${used[name] ?? '0'}/${hard[name]}`] as const);
    const isLimit = (name: string): boolean => name.startsWith('limits.');
    return [
      object.metadata.name ?? '',
      texts.flatMap(([name, text]) => (isLimit(name) ? [] : [text])).join(', '),
      texts.flatMap(([name, text]) => (isLimit(name) ? [text] : [])).join(', '),
      since(object.metadata.creationTimestamp, now),
    ];
  },
};

export const podTemplateTable: TableKind = {
  columns: [
    nameColumn,
    column('Containers', { description: 'Names of its containers.' }),
    column('Images', { description: 'Their images.' }),
    column('Pod Labels', { description: 'Labels that its pods get.' }),
  ],
  cells: (object) => {
    const { template } = object as PodTemplate;
    const containers = template?.spec?.containers ?? [];
    const labels = Object.entries(template?.metadata?.labels ?? {}).map(([name, value]) => `${name}=${value}`);
    return [
      object.metadata.name ?? '',
      containers.map(({ name }) => name).join(','),
      containers.map(({ image = '' }) => image).join(','),
      labels.sort().join(',') || '<none>',
    ];
  },
};
