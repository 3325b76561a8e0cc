/** How upstream names a type in its decoding errors ("[]v1.ContainerPort"): people search for these texts. */
import type { FieldShape, Scalar } from './schema.ts';

const SCALARS: Readonly<Record<Scalar, string>> = {
  string: 'string',
  boolean: 'bool',
  int32: 'int32',
  int64: 'int64',
  double: 'float64',
  bytes: '[]uint8',
  quantity: 'resource.Quantity',
  intOrString: 'intstr.IntOrString',
  time: 'v1.Time',
  microTime: 'v1.MicroTime',
  duration: 'v1.Duration',
  any: 'runtime.RawExtension',
};

export function goTypeName(shape: FieldShape): string {
  switch (shape.kind) {
    case 'scalar':
      return SCALARS[shape.scalar];
    case 'list':
      return `[]${goTypeName(shape.element)}`;
    case 'map':
      return `map[string]${goTypeName(shape.value)}`;
    case 'struct':
      return shape.type.slice(shape.type.indexOf('.') + 1);
  }
}
