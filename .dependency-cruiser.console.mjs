/** Which folder of console/ may import which. A folder that is missing here is an error. */
const may = {
  api: [],
  kit: ['api'],
  features: ['api', 'kit'],
  pages: ['api', 'kit', 'features'],
  app: ['api', 'kit', 'features', 'pages'],
  graphiql: [],
};
const edges = Object.entries(may).map(([from, to]) => ({
  name: `${from}-imports`,
  severity: 'error',
  from: { path: `^console/${from}/` },
  to: { path: '^console/', pathNot: `^console/(${[from, ...to].join('|')})/` },
}));

export default {
  forbidden: [
    { name: 'no-cycles', severity: 'error', from: {}, to: { circular: true } },
    {
      name: 'unknown-folder',
      severity: 'error',
      from: {},
      to: { path: `^console/(?!(${Object.keys(may).join('|')})/)[^/]+/` },
    },
    {
      name: 'areas-are-independent',
      severity: 'error',
      comment: 'what two areas show is a feature or belongs in the kit',
      from: { path: '^console/pages/([^/]+)/' },
      to: { path: '^console/pages/', pathNot: '^console/pages/$1/' },
    },
    {
      name: 'features-are-independent',
      severity: 'error',
      from: { path: '^console/features/([^/]+)/' },
      to: { path: '^console/features/', pathNot: '^console/features/$1/' },
    },
    {
      name: 'shell-imports-entries-of-areas',
      severity: 'error',
      comment: 'pages load on demand: the shell knows their routes and places, and the start page',
      from: { path: '^console/app/' },
      to: { path: '^console/pages/', pathNot: '/(routes|places)\\.ts$|^console/pages/home/home\\.tsx$' },
    },
    ...edges,
  ],
  options: {
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
  },
};
