/** Aggregates that every Postgres from 12 to 18 may have: `SELECT DISTINCT proname FROM pg_proc WHERE prokind = 'a'`, and those with a syntax of their own. */
const BUILT_IN = new Set(
  `any_value array_agg avg bit_and bit_or bit_xor bool_and bool_or corr count covar_pop covar_samp cume_dist dense_rank every
   json_agg json_agg_strict json_arrayagg json_object_agg json_object_agg_strict json_object_agg_unique json_object_agg_unique_strict json_objectagg
   jsonb_agg jsonb_agg_strict jsonb_object_agg jsonb_object_agg_strict jsonb_object_agg_unique jsonb_object_agg_unique_strict
   max min mode percent_rank percentile_cont percentile_disc range_agg range_intersect_agg rank
   regr_avgx regr_avgy regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy
   stddev stddev_pop stddev_samp string_agg sum var_pop var_samp variance xmlagg`.split(/\s+/),
);

export function isBuiltInAggregate(name: string): boolean {
  return BUILT_IN.has(name);
}
