/**
 * English words that carry no topic, and fillers of questions ("how many", "please tell me"). They are indexed only for
 * titles and headings and searched only if the query has no other words. "Who we are" can still be found, and the index
 * is a third smaller.
 */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again against all also am an and any are aren arent as at be because been before being below between both but by
  can cannot cant could couldnt did didnt do does doesnt doing dont down during each either else ever every few find for from further
  get gets getting give given gives got had has have having he her here hers herself him himself his how however i if im in into is
  isnt it its itself just know let lets long make makes many may maybe me might mine more most much must my myself need needs no nor
  not now of off often on once one only or other ought our ours ourselves out over own per please same shall she should show so some
  someone something such tell than that thats the their theirs them themselves then there these they thing things this those through
  to too under until up upon us use used very want wants was wasnt we were what whats when where whether which while who whom whose
  why will with within without wont would you your yours yourself yourselves`.split(/\s+/),
);
