import {
  Decoration,
  type DecorationSet,
  type EditorView,
  MatchDecorator,
  ViewPlugin,
  type ViewUpdate,
} from '@codemirror/view';

const words = [
  'permit',
  'forbid',
  'when',
  'unless',
  'principal',
  'action',
  'resource',
  'context',
  'in',
  'is',
  'has',
  'like',
  'if',
  'then',
  'else',
  'true',
  'false',
];
const kinds = ['Action', 'Agent', 'Connection', 'Group', 'Member', 'decimal', 'datetime'];
const token = new RegExp(
  String.raw`(//.*)|("(?:[^"\\]|\\.)*")|(@\w+)|\b(${words.join('|')})\b|\b(${kinds.join('|')})\b`,
  'g',
);
const classes = ['cedar-comment', 'cedar-text', 'cedar-note', 'cedar-word', 'cedar-kind'];
const marks = classes.map((name) => Decoration.mark({ class: name }));

const matcher = new MatchDecorator({
  regexp: token,
  decoration: (found) => marks[found.slice(1).findIndex((piece) => piece !== undefined)],
});

/** Colours for what is on the screen; what it means is the server's to say. */
export const cedarColours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = matcher.createDeco(view);
    }

    update(update: ViewUpdate) {
      this.decorations = matcher.updateDeco(update, this.decorations);
    }
  },
  { decorations: ({ decorations }) => decorations },
);
