import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Point } from './layoutGraph.ts';

type View = { readonly x: number; readonly y: number; readonly scale: number };
type Size = { readonly width: number; readonly height: number };

const [smallest, largest, readable] = [0.08, 3, 0.75];
const step = 40;

/** Where a view of this length begins to have the point in its middle, without empty room beyond either end. */
const findStart = (point: number, seen: number, whole: number) =>
  seen >= whole ? (whole - seen) / 2 : Math.min(Math.max(point - seen / 2, 0), whole - seen);

/**
 * Moves and zooms a drawing: by dragging, by the wheel with Ctrl held (alone it scrolls the page), by
 * pinching, and by keys. It begins with the whole drawing; if that would be unreadable, with the part in
 * focus.
 */
export function usePanZoom(
  frame: RefObject<SVGSVGElement>,
  { size, focus }: { readonly size: Size; readonly focus: Point | undefined },
) {
  const [room, setRoom] = useState<Size>({ width: 600, height: 420 });
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const drag = useRef<Point | undefined>(undefined);

  useLayoutEffect(() => {
    const element = frame.current;
    if (!element) return undefined;
    const measure = () => setRoom({ width: element.clientWidth || 600, height: element.clientHeight || 420 });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);

  const fitting = Math.min(1, room.width / size.width, room.height / size.height);
  const showAll = () => {
    const scale = Math.max(smallest, fitting);
    setView({ scale, x: (size.width - room.width / scale) / 2, y: (size.height - room.height / scale) / 2 });
  };
  const start = () => {
    if (fitting >= readable || !focus) return showAll();
    setView({
      scale: readable,
      x: findStart(focus.x, room.width / readable, size.width),
      y: findStart(focus.y, room.height / readable, size.height),
    });
  };
  useEffect(start, [size, focus?.x, focus?.y, room.width, room.height]);

  const zoom = (factor: number, at: Point = { x: room.width / 2, y: room.height / 2 }) =>
    setView(({ x, y, scale }) => {
      const next = Math.min(largest, Math.max(smallest, scale * factor));
      return { scale: next, x: x + at.x / scale - at.x / next, y: y + at.y / scale - at.y / next };
    });
  const pan = (dx: number, dy: number) =>
    setView(({ x, y, scale }) => ({ scale, x: x + dx / scale, y: y + dy / scale }));

  useEffect(() => {
    const element = frame.current;
    // Not an event handler of the element: only a listener that is not passive can keep the page from
    // scrolling.
    const onWheel = (event: WheelEvent) => {
      if (!event.ctrlKey) return;
      event.preventDefault();
      zoom(Math.exp(-event.deltaY / 200), { x: event.offsetX, y: event.offsetY });
    };
    element?.addEventListener('wheel', onWheel, { passive: false });
    return () => element?.removeEventListener('wheel', onWheel);
  });

  const keys: Readonly<Record<string, () => void>> = {
    ArrowLeft: () => pan(-step, 0),
    ArrowRight: () => pan(step, 0),
    ArrowUp: () => pan(0, -step),
    ArrowDown: () => pan(0, step),
    '+': () => zoom(1.25),
    '=': () => zoom(1.25),
    '-': () => zoom(1 / 1.25),
    '0': showAll,
  };
  return {
    box: `${view.x} ${view.y} ${room.width / view.scale} ${room.height / view.scale}`,
    zoom,
    fit: showAll,
    handlers: {
      onPointerDown(event: PointerEvent) {
        drag.current = { x: event.clientX, y: event.clientY };
        frame.current?.setPointerCapture(event.pointerId);
      },
      onPointerMove(event: PointerEvent) {
        if (!drag.current) return;
        pan(drag.current.x - event.clientX, drag.current.y - event.clientY);
        drag.current = { x: event.clientX, y: event.clientY };
      },
      onPointerUp() {
        drag.current = undefined;
      },
      onKeyDown(event: KeyboardEvent) {
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        const act = keys[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      },
    },
  };
}
