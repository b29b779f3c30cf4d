import { type ComponentChildren, Fragment, isValidElement } from 'preact';

/** What a reader sees of elements: their texts, and the numbers of list items. Components are called; they have no hooks. */
export function textOf(children: ComponentChildren): string {
  if (Array.isArray(children)) return children.map(textOf).join('');
  if (!isValidElement(children)) {
    return typeof children === 'string' || typeof children === 'number' ? String(children) : '';
  }
  const { type, props } = children;
  if (typeof type === 'function' && type !== Fragment) return textOf(Reflect.apply(type, undefined, [props]));
  const number = type === 'li' && 'value' in props ? `${props.value}. ` : '';
  return number + textOf(props.children);
}
