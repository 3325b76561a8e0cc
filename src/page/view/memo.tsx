/** A component that is drawn anew only when one of its properties is another value. */
import { Component, type ComponentChild, type ComponentClass, type FunctionComponent } from 'preact';

export function memo<P extends object>(Inner: FunctionComponent<P>): ComponentClass<P> {
  return class extends Component<P> {
    override shouldComponentUpdate(next: Readonly<P>): boolean {
      return !haveSameFields(this.props, next);
    }

    override render(props: P): ComponentChild {
      return <Inner {...props} />;
    }
  };
}

function haveSameFields(one: Readonly<Record<string, unknown>>, other: Readonly<Record<string, unknown>>): boolean {
  const names = new Set([...Object.keys(one), ...Object.keys(other)]);
  return [...names].every((name) => Object.is(one[name], other[name]));
}
