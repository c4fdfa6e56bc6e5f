import type { ComponentChildren } from 'preact';

interface WordsProps {
  readonly x: number;
  readonly y: number;
  readonly size: number;
  readonly colour: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly isBold?: boolean;
  /** Turned to the left by so many degrees. */
  readonly turn?: number;
  /** A rim in this colour, where there is something behind it. */
  readonly rim?: string;
  readonly children: ComponentChildren;
}

/** Text whose middle is at that height: programs differ in where they see the base of a line. */
export function Words({ x, y, size, colour, anchor = 'start', isBold, turn, rim, children }: WordsProps) {
  return (
    <text
      x={x}
      y={y}
      dy="0.35em"
      font-size={size}
      fill={colour}
      text-anchor={anchor}
      {...(isBold && { 'font-weight': 'bold' })}
      {...(turn && { transform: `rotate(${-turn} ${x} ${y})` })}
      {...(rim && { stroke: rim, 'stroke-width': 3, 'paint-order': 'stroke' })}
    >
      {children}
    </text>
  );
}
