// Made by `npm run types` from openapi.json, SHA-256 b0c6b495db82ffd4be6320b213e77ea2d3d4d666078d9f68ae9339e3c6a13830. Not edited by hand.

export interface paths {
    "/v1/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["check_health"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/ready": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["check_readiness"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/about/checks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_checks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/about": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_about"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/engine": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_engine"];
        put: operations["choose_engine"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/engine/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["test_engine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_runs"];
        put?: never;
        post: operations["start_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_run"];
        put?: never;
        post?: never;
        delete: operations["delete_run"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_parts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["download_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["cancel_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/prune": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["prune_runs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/correction": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_correction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resume_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/replay": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["replay_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["follow_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/journal": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["read_journal"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/interactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_interactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/interactions/{interaction_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["answer_interaction"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/answer": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["answer_run"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/drafts/{key}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_draft"];
        put: operations["keep_draft"];
        post?: never;
        delete: operations["reset_draft"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_artifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/runs/{run_id}/artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["download_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["upload_file"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_collections"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_collection"];
        put?: never;
        post?: never;
        delete: operations["delete_collection"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{name}/documents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_documents"];
        put?: never;
        post: operations["index_documents"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{name}/documents/{document_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["remove_document"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{name}/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["search_collection"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/collections/{name}/places/{chunk_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_place"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analysis/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["preview_table"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/analysis/reading": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["change_reading"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/comparison/{run_id}/view": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_comparison"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/research/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_notes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/research/notes/{session}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["delete_notes"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/research/{run_id}/citations/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_citation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/calibration": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_calibration"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/calibration/what-if": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["try_thresholds"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/calibration/fit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["fit_calibration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/calibration/use": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["use_calibration"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/{run_id}/feedback": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_feedback"];
        put?: never;
        post: operations["give_feedback"];
        delete: operations["withdraw_feedback"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/grace/{run_id}/sources/{number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_source"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["save_plan_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/versions/import": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["import_plan_versions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/diff": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["compare_plans"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/diff/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["draw_plan_diff"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/versions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_plan_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/versions/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["export_plan_versions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/versions/{version}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_plan_version"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/versions/{version}/decisions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["decide_plan_version"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["save_preset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/presets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_presets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/presets/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete: operations["remove_preset"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_plans"];
        put?: never;
        post: operations["save_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/validate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["validate_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/dry-run": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["dry_run_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/runs/{run_id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["draw_run"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/rename": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rename_node"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/group": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["group_nodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/migrate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["migrate_plan"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/graph": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["draw_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/parts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_plan_parts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["run_plan_sample"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plans/{plan_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_plan"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_triggers"];
        put?: never;
        post: operations["add_trigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers/{trigger_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["get_trigger"];
        put: operations["change_trigger"];
        post?: never;
        delete: operations["remove_trigger"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers/{trigger_id}/pause": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["pause_trigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers/{trigger_id}/resume": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["resume_trigger"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/triggers/{trigger_id}/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["trigger_history"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hooks/{trigger_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["call_hook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_blocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["list_workflows"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_workflow"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/workflows/{name}/sample": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["run_sample"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["show_cluster"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        About: {
            version: string;
            /** @enum {string} */
            language: "ja" | "en";
            max_upload_mb: number;
            /** @default  */
            provider: string;
            /** @default  */
            model: string;
            problem?: components["schemas"]["Problem"] | null;
        };
        AddedTrigger: {
            trigger_id: string;
            plan_id: string;
            cause: components["schemas"]["Cause"];
            vars: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            into: string;
            owner: string;
            paused: boolean;
            /** Format: date-time */
            created_at: string;
            next_at: string | null;
            address: string;
            last?: components["schemas"]["FiringInfo"] | null;
            /** @default 0 */
            missed: number;
            token: string;
        };
        Answered: {
            interaction: components["schemas"]["Interaction"];
            answer: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            by: string;
            /** Format: date-time */
            answered_at: string;
        };
        Artifact: {
            artifact_id: string;
            name: string;
            media_type: string;
            size: number;
            /** @default  */
            title: string;
            /** @default [] */
            path: string[];
            /** @default [] */
            made_of: string[];
        };
        ArtifactList: {
            artifacts: components["schemas"]["Artifact"][];
        };
        Bin: {
            low: number;
            high: number;
            answers: number;
            said: number;
            true: number;
        };
        BlockCatalogue: {
            blocks: components["schemas"]["BlockDetail"][];
            env: string[];
        };
        BlockDetail: {
            id: string;
            version: string;
            versions: string[];
            description: string;
            /** @default  */
            deprecated: string;
            /** @default false */
            is_own: boolean;
            inputs: {
                [key: string]: components["schemas"]["PortDetail"];
            };
            outputs: {
                [key: string]: components["schemas"]["PortDetail"];
            };
            input_lines: components["schemas"]["PortLine"][];
            output_lines: components["schemas"]["PortLine"][];
            samples: components["schemas"]["SampleShown"][];
            sample_texts: string[];
            requirements: string[];
        };
        Break: {
            /** @enum {string} */
            kind: "input_gone" | "input_changed" | "input_needed" | "output_gone";
            port: string;
            sentence: string;
        };
        CalibrationReport: {
            /** @enum {string} */
            score: "calibrated" | "weighted";
            version: string;
            versions: components["schemas"]["Version"][];
            thresholds: components["schemas"]["ThresholdsUsed"];
            configured: components["schemas"]["Cutoffs"];
            adjusts: boolean;
            most_adjustment: number;
            most_wrong_silent: number | null;
            history: components["schemas"]["ThresholdsChange"][];
            labels: components["schemas"]["LabelCounts"];
            figures: components["schemas"]["Figures"];
            silent_wrong_at_worst: number | null;
            reliability: components["schemas"]["Bin"][];
            coverage: components["schemas"]["Point"][];
            warnings: string[];
            can_fit: boolean;
            may_change: boolean;
        };
        Case: {
            /** @enum {string} */
            kind: "taken" | "skipped" | "empty" | "not_entered";
            is_sampled: boolean;
            /** @default  */
            condition: string;
            /** @default [] */
            consequences: components["schemas"]["Consequence"][];
        };
        Cause: {
            /** @enum {string} */
            kind: "cron" | "folder" | "webhook" | "after";
            schedule?: components["schemas"]["Schedule"] | null;
            /** @default false */
            catch_up: boolean;
            /** @default  */
            folder: string;
            /** @default * */
            pattern: string;
            /** @default  */
            after: string;
            /**
             * @default succeeded
             * @enum {string}
             */
            outcome: "succeeded" | "failed" | "ended";
            /** @default  */
            signed_by: string;
        };
        ChangeItem: {
            id: string;
            change: string;
            label: string;
            /** @default  */
            document: string;
            old?: components["schemas"]["Side"] | null;
            new?: components["schemas"]["Side"] | null;
            /** @default [] */
            diff: components["schemas"]["Segment"][];
            /** @default [] */
            flags: string[];
            /** @default  */
            explanation: string;
            confidence?: number | null;
            /**
             * @default plain
             * @enum {string}
             */
            tone: "good" | "caution" | "bad" | "plain";
        };
        Changes: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "changes";
            old_name: string;
            new_name: string;
            items: components["schemas"]["ChangeItem"][];
            total_items: number;
        };
        ChatLine: {
            /** @enum {string} */
            role: "user" | "assistant";
            text: string;
        };
        Check: {
            name: string;
            title: string;
            /** @enum {string} */
            level: "ok" | "warning" | "broken";
            text: string;
            /** @default  */
            hint: string;
        };
        Checks: {
            checks: components["schemas"]["Check"][];
        };
        Choice: {
            field: string;
            value: string | number | boolean;
        };
        Citation: {
            id: number;
            document: string;
            document_id: string;
            /** @enum {string} */
            format: "pdf" | "docx" | "xlsx" | "pptx" | "csv" | "markdown" | "html" | "text" | "eml" | "json" | "zip";
            page: number | null;
            chunk_id: string;
            quote: string;
            start: number;
            end: number;
            sheet?: string | null;
            row?: number | null;
            /** @default [] */
            headings: string[];
            score: number;
            verified: boolean;
        };
        CitationPlace: {
            citation: components["schemas"]["Citation"];
            position: components["schemas"]["Position"] | null;
            /** @default  */
            before: string;
            text: string;
            /** @default  */
            after: string;
            start: number;
            end: number;
            problem?: components["schemas"]["Problem"] | null;
        };
        ClusterStatus: {
            address: string;
            problem: components["schemas"]["Problem"] | null;
            workers: components["schemas"]["WorkerSeen"][];
            places: number;
            busy: number;
            missing: {
                [key: string]: string[];
            };
            queue: components["schemas"]["QueueLine"][];
            runs_a_minute: number;
        };
        /** @enum {string} */
        Code: "INPUT_VALIDATION_FAILED" | "OUTPUT_SCHEMA_MISMATCH" | "DEPENDENCY_NOT_FOUND" | "STORAGE_UNAVAILABLE" | "API_ERROR" | "TIMEOUT_ERROR" | "PERMISSION_DENIED" | "NOT_FOUND" | "CONFLICT" | "RUN_BUSY" | "RESOURCE_LIMIT" | "UNSUPPORTED_FORMAT" | "SETTINGS_INVALID" | "INTERNAL_ERROR";
        CollectionInfo: {
            name: string;
            /** @enum {string} */
            engine: "embedded" | "qdrant" | "azure";
            documents: number;
            chunks: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        CollectionList: {
            collections: components["schemas"]["CollectionInfo"][];
        };
        Column: {
            name: string;
            /**
             * @default text
             * @enum {string}
             */
            kind: "text" | "number" | "share" | "date" | "boolean";
            /** @default  */
            unit: string;
            decimals?: number | null;
        };
        ColumnPreview: {
            name: string;
            type: string;
            unit: string;
            missing: number;
            distinct: number;
            examples: string[];
            minimum?: components["schemas"]["JsonValue"];
            maximum?: components["schemas"]["JsonValue"];
        };
        Consequence: {
            node: string;
            /** @enum {string} */
            outcome: "accepts" | "skipped" | "fails";
            /** @default [] */
            reads: string[];
            /** @default  */
            reason: string;
        };
        Corrected: {
            input?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default false */
            newest: boolean;
            /** @default [] */
            step: string[];
        };
        Correction: {
            before: string;
            after: string;
            change: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            again: string[];
            kept: string[];
        };
        CorrectionFound: {
            correction: components["schemas"]["Correction"] | null;
        };
        Cutoffs: {
            /** @default 0 */
            silent: number;
            /** @default 0 */
            notify: number;
            /** @default 0 */
            confirm: number;
        };
        Deleted: {
            deleted: number;
        };
        DesignDetail: {
            plan_id: string;
            title: string;
            version: string;
            description: string;
            file: string;
            /** @enum {string} */
            origin: "workspace" | "sample";
            valid: boolean;
            errors: number;
            warnings: number;
            /** @default  */
            own_id: string;
            state?: ("draft" | "in_review" | "approved" | "retired") | null;
            /** @default [] */
            versions: components["schemas"]["VersionInfo"][];
            text: string;
            called: string[];
            vars: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            has_sample: boolean;
            findings: components["schemas"]["Finding"][];
        };
        DesignInfo: {
            plan_id: string;
            title: string;
            version: string;
            description: string;
            file: string;
            /** @enum {string} */
            origin: "workspace" | "sample";
            valid: boolean;
            errors: number;
            warnings: number;
            /** @default  */
            own_id: string;
            state?: ("draft" | "in_review" | "approved" | "retired") | null;
            /** @default [] */
            versions: components["schemas"]["VersionInfo"][];
        };
        DesignList: {
            plans: components["schemas"]["DesignInfo"][];
        };
        DocumentPage: {
            documents: components["schemas"]["IndexedDocument"][];
            next: number | null;
        };
        Draft: {
            content: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
        };
        DryRunReport: {
            valid: boolean;
            findings: components["schemas"]["Finding"][];
            /** @default [] */
            nodes: components["schemas"]["NodeReport"][];
        };
        EarlierVerdict: {
            /** @enum {string} */
            verdict: "good" | "bad";
            comment: string;
            actor: string;
            /** Format: date-time */
            time: string;
        };
        Engine: {
            /** @enum {string} */
            provider: "openai" | "azure_openai" | "google_genai" | "rules";
            model?: string | null;
            base_url_host?: string | null;
        };
        EngineChoice: {
            provider: string;
            /** @default  */
            model: string;
            /** @default  */
            address: string;
            key?: string | null;
        };
        EngineReport: {
            provider: string;
            model: string;
            engine: components["schemas"]["Engine"] | null;
            problem: components["schemas"]["Problem"] | null;
            vendors: components["schemas"]["VendorChoice"][];
            may_change: boolean;
        };
        EngineTest: {
            engine: components["schemas"]["Engine"] | null;
            works: boolean;
            duration_ms: number;
            problem: components["schemas"]["Problem"] | null;
        };
        Fact: {
            label: string;
            value: components["schemas"]["JsonValue"];
            /**
             * @default plain
             * @enum {string}
             */
            tone: "good" | "caution" | "bad" | "plain";
            /** @default  */
            note: string;
        };
        Facts: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "facts";
            items: components["schemas"]["Fact"][];
        };
        Feedback: {
            score: number;
            /** @enum {string} */
            level: "silent" | "notify" | "confirm" | "escalate";
            answered: boolean;
            features: {
                [key: string]: number;
            };
            /** @enum {string} */
            method: "calibrated" | "weighted";
            calibration: string;
            run_id: string;
            number: number;
            /** @enum {string} */
            verdict: "good" | "bad";
            /** @default  */
            comment: string;
            actor: string;
            /** Format: date-time */
            time: string;
            /** @default [] */
            earlier: components["schemas"]["EarlierVerdict"][];
        };
        FeedbackFound: {
            feedback: components["schemas"]["Feedback"] | null;
        };
        Figure: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "figure";
            picture: components["schemas"]["Artifact"];
            spec?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @default  */
            description: string;
        };
        Figures: {
            ece: number | null;
            auroc: number | null;
            brier: number | null;
        };
        FileRef: {
            file_id: string;
            name: string;
            size: number;
            /** @default application/octet-stream */
            media_type: string;
        };
        Files: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "files";
            items: components["schemas"]["Artifact"][];
        };
        Finding: {
            code: string;
            /** @enum {string} */
            severity: "error" | "warning";
            message: string;
            hint: string;
            /** @default  */
            node: string;
            /** @default  */
            file: string;
            /** @default 0 */
            line: number;
            /** @default 0 */
            column: number;
        };
        FiringInfo: {
            status: string;
            /** Format: date-time */
            due_at: string;
            run_id: string | null;
            count: number;
            problem: components["schemas"]["Problem"] | null;
        };
        FiringList: {
            firings: components["schemas"]["FiringInfo"][];
        };
        FitRequest: {
            /**
             * @default logistic
             * @enum {string}
             */
            kind: "logistic" | "isotonic";
            /** @default  */
            reason: string;
        };
        FoundPlace: {
            document: components["schemas"]["IndexedDocument"];
            position: components["schemas"]["Position"];
            before: string;
            text: string;
            after: string;
        };
        GivenDecision: {
            /** @enum {string} */
            decision: "submit" | "approve" | "return" | "retire";
            /** @default  */
            comment: string;
        };
        GivenPlan: {
            /** @default  */
            plan_id: string;
            /** @default  */
            text: string;
            called?: {
                [key: string]: string;
            };
        };
        GivenTrigger: {
            plan_id: string;
            cause: components["schemas"]["Cause"];
            vars?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default  */
            into: string;
        };
        Graph: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "graph";
            nodes: components["schemas"]["GraphNode"][];
            edges: components["schemas"]["GraphEdge"][];
        };
        GraphEdge: {
            source: string;
            target: string;
            /** @default  */
            label: string;
        };
        GraphNode: {
            id: string;
            title: string;
            /** @default  */
            detail: string;
            /** @default pending */
            status: ("running" | "waiting" | "succeeded" | "failed" | "skipped") | "pending";
            /** @default [] */
            path: string[];
            /** @default  */
            parent: string;
            /** @default false */
            is_question: boolean;
            /**
             * @default
             * @enum {string}
             */
            change: "" | "same" | "added" | "removed" | "changed";
        };
        Grouped: {
            text: string;
            /** @default  */
            called_id: string;
            /** @default  */
            called: string;
        };
        Grouping: {
            /** @default  */
            plan_id: string;
            /** @default  */
            text: string;
            called?: {
                [key: string]: string;
            };
            nodes: string[];
            name: string;
            /** @default  */
            over: string;
            /** @default  */
            called_id: string;
        };
        Health: {
            /** @enum {string} */
            status: "ok" | "unavailable";
            version: string;
            /** @enum {string} */
            database: "ok" | "unreachable";
            /** @enum {string} */
            blobs: "ok" | "unreachable";
        };
        Heard: {
            feedback: components["schemas"]["Feedback"] | null;
            before: components["schemas"]["ThresholdsUsed"];
            after: components["schemas"]["ThresholdsUsed"];
        };
        Help: {
            /** @default  */
            text: string;
            picture?: components["schemas"]["FileRef"] | string | null;
        };
        Hit: {
            chunk_id: string;
            document_id: string;
            document_name: string;
            /** @enum {string} */
            format: "pdf" | "docx" | "xlsx" | "pptx" | "csv" | "markdown" | "html" | "text" | "eml" | "json" | "zip";
            text: string;
            /** @default  */
            context: string;
            position: components["schemas"]["Position"];
            score: number;
            signals?: {
                [key: string]: number;
            };
            /** @default [] */
            highlights: components["schemas"]["Span"][];
            metadata?: {
                [key: string]: string;
            };
        };
        Hits: {
            hits: components["schemas"]["Hit"][];
        };
        HookAnswer: {
            run_id: string;
        };
        Imported: {
            versions: components["schemas"]["VersionInfo"][];
            taken: number;
        };
        IndexedDocument: {
            document_id: string;
            name: string;
            sha256: string;
            /** @enum {string} */
            format: "pdf" | "docx" | "xlsx" | "pptx" | "csv" | "markdown" | "html" | "text" | "eml" | "json" | "zip";
            title: string | null;
            size: number;
            pages: number | null;
            chunks: number;
            warnings: components["schemas"]["Problem"][];
            metadata: {
                [key: string]: string;
            };
            /** Format: date-time */
            indexed_at: string;
        };
        Interaction: {
            /** @enum {string} */
            mode: "collect" | "confirm" | "inquire" | "mixed";
            message: string;
            /** @default [] */
            requirements: components["schemas"]["Requirement"][];
            help?: components["schemas"]["Help"] | null;
            context?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default [] */
            chat: components["schemas"]["ChatLine"][];
            due_at?: string | null;
            remind_at?: string | null;
            /** @default [] */
            assignees: string[];
            /** @default [] */
            roles: string[];
            /** @default [] */
            not_by: string[];
            /** @default  */
            state_key: string;
            interaction_id: string;
            path: string[];
            /** Format: date-time */
            opened_at: string;
            answer_schema: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            mark?: ("soon" | "overdue") | null;
            /** @default true */
            for_me: boolean;
        };
        Interactions: {
            open: components["schemas"]["Interaction"][];
            answered: components["schemas"]["Answered"][];
        };
        JsonValue: unknown;
        Judgement: {
            /** @enum {string} */
            verdict: "good" | "bad";
            /** @default  */
            comment: string;
        };
        LabelCounts: {
            good: number;
            bad: number;
            not_counted: number;
            needed: number;
        };
        LevelCount: {
            /** @enum {string} */
            level: "silent" | "notify" | "confirm" | "escalate";
            then: number;
            now: number;
            right: number;
            wrong: number;
        };
        Migrated: {
            text: string;
            forms: string[];
            left: string[];
        };
        NewDesign: {
            text: string;
            /** @default  */
            plan_id: string;
            /** @default false */
            replace: boolean;
        };
        NewDocuments: {
            files: components["schemas"]["FileRef"][];
            metadata?: {
                [key: string]: string;
            };
        };
        NewPreset: {
            run_id: string;
            name: string;
            /** @default false */
            shared: boolean;
        };
        NewRun: {
            workflow: string;
            input?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            conversation_id?: string | null;
        };
        NewVersion: {
            /** @default  */
            plan_id: string;
            /** @default  */
            text: string;
            called?: {
                [key: string]: string;
            };
            /** @default  */
            comment: string;
        };
        NodeReport: {
            node: string;
            /** @enum {string} */
            type: "block" | "loop" | "subflow";
            /** @default  */
            block: string;
            inputs?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            outputs?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default [] */
            cases: components["schemas"]["Case"][];
            /** @default [] */
            findings: components["schemas"]["Finding"][];
        };
        Note: {
            session: string;
            run_id: string;
            node_name: string;
            cycle_no: number;
            /** @default [] */
            queries: string[];
            /** @default [] */
            retrieved_docs: components["schemas"]["NotedPassage"][];
            /** @default  */
            decision_reason: string;
            /** @default  */
            final_report: string;
            /** Format: date-time */
            time?: string;
        };
        NoteList: {
            notes: components["schemas"]["Note"][];
        };
        NotedPassage: {
            chunk_id: string;
            document: string;
            score: number;
            relevance: number;
        };
        Option: {
            value: string | number | boolean;
            label: string;
        };
        Origin: {
            made_on: string;
            data: string;
            how: string;
            questions: number;
            answerable: number;
            held_out?: {
                [key: string]: {
                    [key: string]: number;
                };
            };
        };
        Outcome: {
            name: string;
            /** @enum {string} */
            status: "added" | "replaced" | "unchanged" | "failed" | "skipped" | "removed";
            document_id?: string | null;
            format?: string | null;
            pages?: number | null;
            /** @default 0 */
            chunks: number;
            /** @default [] */
            warnings: components["schemas"]["Problem"][];
            problem?: components["schemas"]["Problem"] | null;
        };
        Outcomes: {
            outcomes: components["schemas"]["Outcome"][];
        };
        PlanDiff: {
            old: string;
            new: string;
            changes: components["schemas"]["ToldChange"][];
            parts: (components["schemas"]["Text"] | components["schemas"]["Table"] | components["schemas"]["Figure"] | components["schemas"]["Sources"] | components["schemas"]["Score"] | components["schemas"]["Changes"] | components["schemas"]["Graph"] | components["schemas"]["Files"] | components["schemas"]["Facts"] | components["schemas"]["Trouble"] | components["schemas"]["Progress"])[];
        };
        PlanParts: {
            parts: (components["schemas"]["Text"] | components["schemas"]["Table"] | components["schemas"]["Figure"] | components["schemas"]["Sources"] | components["schemas"]["Score"] | components["schemas"]["Changes"] | components["schemas"]["Graph"] | components["schemas"]["Files"] | components["schemas"]["Facts"] | components["schemas"]["Trouble"] | components["schemas"]["Progress"])[];
        };
        PlanTextShown: {
            text: string;
        };
        Point: {
            threshold: number;
            answers: number;
            coverage: number;
            precision: number;
        };
        PortDetail: {
            description: string;
            type: string;
            required: boolean;
            default?: components["schemas"]["JsonValue"];
            /** @default [] */
            examples: components["schemas"]["JsonValue"][];
            json_schema: {
                [key: string]: components["schemas"]["JsonValue"];
            };
        };
        PortLine: {
            name: string;
            type: string;
            note: string;
            description: string;
        };
        Position: {
            start: number;
            end: number;
            page?: number | null;
            sheet?: string | null;
            row?: number | null;
            last_row?: number | null;
            /** @default [] */
            headings: string[];
        };
        Preparation: {
            /** @enum {string} */
            kind: "totals" | "variants" | "unit" | "header" | "notes" | "groups" | "identifiers" | "dates" | "tables" | "periods";
            text: string;
            /** @default true */
            is_done: boolean;
        };
        PresetInfo: {
            plan_id: string;
            name: string;
            owner: string;
            shared: boolean;
            /** Format: date-time */
            updated_at: string;
            answers?: {
                [key: string]: {
                    [key: string]: components["schemas"]["JsonValue"];
                };
            };
            vars?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            is_mine: boolean;
            /** @default [] */
            unfit: string[];
            /** @default [] */
            left_out: string[];
        };
        PresetList: {
            presets: components["schemas"]["PresetInfo"][];
        };
        PreviewRequest: {
            file: components["schemas"]["FileRef"];
            /** @default  */
            sheet: string;
            /** @default [] */
            as_written: ("totals" | "variants" | "unit" | "header" | "notes" | "groups" | "identifiers" | "dates" | "tables" | "periods")[];
        };
        Problem: {
            code: components["schemas"]["Code"];
            message: string;
            hint: string;
            details?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            input_snapshot?: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default false */
            recoverable: boolean;
            text_id: string;
            params?: {
                [key: string]: string | number | boolean | null;
            };
        };
        Progress: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "progress";
            steps: components["schemas"]["ProgressStep"][];
        };
        ProgressStep: {
            id: string;
            title: string;
            status: ("running" | "waiting" | "succeeded" | "failed" | "skipped") | "pending";
            /** @default  */
            detail: string;
            done?: number | null;
            of?: number | null;
            duration_ms?: number | null;
            /** @default 0 */
            depth: number;
            /** @default [] */
            path: string[];
            score?: number | null;
            /**
             * @default plain
             * @enum {string}
             */
            tone: "good" | "caution" | "bad" | "plain";
        };
        ProposedThresholds: {
            silent: number;
            notify: number;
            confirm: number;
        };
        Prunable: {
            runs: components["schemas"]["RunSummary"][];
            without_files: components["schemas"]["RunSummary"][];
            files: number;
        };
        Pruning: {
            days?: number | null;
            file_days?: number | null;
            /** @default true */
            dry_run: boolean;
        };
        QueueLine: {
            owner: string;
            workflow: string;
            queued: number;
            running: number;
            oldest_seconds: number;
        };
        Readiness: {
            /** @enum {string} */
            status: "ready" | "not_ready";
            version: string;
            /** @enum {string} */
            storage: "ok" | "unavailable";
            unavailable: ("workspace" | "database" | "blobs")[];
            /** @enum {string} */
            tables: "ok" | "of_another_version";
            /** @enum {string} */
            runs: "accepted" | "refused";
            /** @enum {string} */
            cluster: "none" | "ok" | "unavailable";
        };
        ReadingForm: {
            fields: components["schemas"]["Requirement"][];
            specs: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
        };
        ReadingRequest: {
            /** @default [] */
            columns: string[];
            specs: {
                [key: string]: components["schemas"]["JsonValue"];
            }[];
            step: number;
            path: string[];
            values?: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
        };
        Reason: {
            label: string;
            effect?: number | null;
            value?: number | null;
            /** @default  */
            sentence: string;
        };
        Renaming: {
            /** @default  */
            plan_id: string;
            /** @default  */
            text: string;
            called?: {
                [key: string]: string;
            };
            node: string;
            to: string;
        };
        ReplayOf: {
            run_id: string;
            step: string[];
        };
        Requirement: {
            id: string;
            /** @enum {string} */
            type: "file" | "files" | "folder" | "text" | "select" | "boolean" | "number" | "chat" | "date" | "table";
            label: string;
            /** @default  */
            description: string;
            help?: components["schemas"]["Help"] | null;
            /** @default true */
            required: boolean;
            default?: components["schemas"]["JsonValue"];
            /** @default [] */
            options: components["schemas"]["Option"][];
            /** @default [] */
            columns: components["schemas"]["Requirement"][];
            /** @default  */
            accept: string;
            /** @default false */
            secret: boolean;
            only_with?: components["schemas"]["Choice"] | null;
            /**
             * @default {
             *       "integer": false
             *     }
             */
            validation: components["schemas"]["sanbo__runs__fields__Validation"];
        };
        Retry: {
            path: string[];
            title: string;
            /** @default false */
            is_question: boolean;
        };
        Run: {
            run_id: string;
            workflow: string;
            conversation_id: string;
            /** @default  */
            title: string;
            status: components["schemas"]["Status"];
            input: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            result: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            artifacts: components["schemas"]["Artifact"][];
            open_interactions: components["schemas"]["Interaction"][];
            problem: components["schemas"]["Problem"] | null;
            engine: components["schemas"]["Engine"];
            usage: components["schemas"]["Usage"];
            steps: components["schemas"]["Step"][];
            /** @default [] */
            warnings: components["schemas"]["RunWarning"][];
            /** @enum {string} */
            language: "ja" | "en";
            owner: string;
            replay_of: components["schemas"]["ReplayOf"] | null;
            /** @default  */
            edition: string;
            last_seq: number;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        RunPage: {
            runs: components["schemas"]["RunSummary"][];
            next: string | null;
        };
        RunParts: {
            run_id: string;
            seq: number;
            status: components["schemas"]["Status"];
            parts: (components["schemas"]["Text"] | components["schemas"]["Table"] | components["schemas"]["Figure"] | components["schemas"]["Sources"] | components["schemas"]["Score"] | components["schemas"]["Changes"] | components["schemas"]["Graph"] | components["schemas"]["Files"] | components["schemas"]["Facts"] | components["schemas"]["Trouble"] | components["schemas"]["Progress"])[];
        };
        RunSummary: {
            run_id: string;
            workflow: string;
            conversation_id: string;
            title: string;
            status: components["schemas"]["Status"];
            /** @default 0 */
            warnings: number;
            due_at?: string | null;
            /** @default [] */
            waits_for: string[];
            /** @default true */
            for_me: boolean;
            owner: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        RunWarning: {
            code: string;
            node: string;
            message: string;
            hint: string;
        };
        SampleShown: {
            inputs: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            outputs: {
                [key: string]: components["schemas"]["JsonValue"];
            };
        };
        Schedule: {
            cron: string;
            /** @default Asia/Tokyo */
            zone: string;
            /**
             * @default run
             * @enum {string}
             */
            on_holiday: "run" | "skip" | "next" | "previous";
        };
        Score: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "score";
            value: number;
            level: string;
            /**
             * @default plain
             * @enum {string}
             */
            tone: "good" | "caution" | "bad" | "plain";
            /** @default  */
            sentence: string;
            /** @default [] */
            explanation: string[];
            /** @default [] */
            reasons: components["schemas"]["Reason"][];
            /** @default false */
            may_be_judged: boolean;
        };
        Segment: {
            /** @enum {string} */
            op: "same" | "deleted" | "added";
            text: string;
        };
        Side: {
            /** @default  */
            place: string;
            /** @default  */
            text: string;
        };
        SourceItem: {
            mark: string;
            document: string;
            /** @default  */
            place: string;
            page?: number | null;
            /** @default  */
            quote: string;
            /** @default  */
            context: string;
            /** @default  */
            chunk_id: string;
            /** @default  */
            collection: string;
            score?: number | null;
            is_verified?: boolean | null;
            /** @default  */
            note: string;
        };
        Sources: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "sources";
            items: components["schemas"]["SourceItem"][];
        };
        Span: {
            start: number;
            end: number;
        };
        /** @enum {string} */
        Status: "queued" | "running" | "waiting" | "succeeded" | "failed" | "cancelled";
        Step: {
            path: string[];
            key: string;
            title: string;
            /** @enum {string} */
            status: "running" | "waiting" | "succeeded" | "failed" | "skipped";
            attempt: number;
            /** Format: date-time */
            started_at: string;
            ended_at?: string | null;
            duration_ms?: number | null;
            /** @default  */
            reason: string;
            problem?: components["schemas"]["Problem"] | null;
            /** @default [] */
            warnings: components["schemas"]["Problem"][];
            /** @default  */
            block: string;
            /** @default  */
            edition: string;
            /** @default 0 */
            iterations: number;
            of?: number | null;
        };
        Table: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "table";
            columns: components["schemas"]["Column"][];
            rows: components["schemas"]["JsonValue"][][];
            total_rows: number;
            file?: components["schemas"]["Artifact"] | null;
            /** @default  */
            note: string;
        };
        TablePreview: {
            dataset_id: string;
            name: string;
            sheet: string;
            sheets: string[];
            rows: number;
            columns: components["schemas"]["ColumnPreview"][];
            sample: (string | number | boolean | null)[][];
            warnings: string[];
            preparations: components["schemas"]["Preparation"][];
            suggestions: string[];
        };
        Text: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "text";
            markdown: string;
            /** @default false */
            is_growing: boolean;
            /** @default false */
            is_plain: boolean;
            document?: components["schemas"]["Artifact"] | null;
        };
        ThresholdsChange: {
            number: number;
            /** Format: date-time */
            time: string;
            actor: string;
            run_id: string;
            before: components["schemas"]["Cutoffs"];
            after: components["schemas"]["Cutoffs"];
            told: string;
        };
        ThresholdsUsed: {
            silent: number;
            notify: number;
            confirm: number;
            /** @default  */
            told: string;
        };
        ToldChange: {
            /** @enum {string} */
            kind: "added" | "removed" | "renamed" | "block" | "rewired" | "input" | "form" | "condition" | "policy" | "order" | "output" | "loop" | "call" | "words" | "variable" | "exports" | "layout" | "called";
            /** @default [] */
            node: string[];
            /** @default  */
            name: string;
            before?: components["schemas"]["JsonValue"];
            after?: components["schemas"]["JsonValue"];
            sign: string;
            sentence: string;
        };
        TriggerInfo: {
            trigger_id: string;
            plan_id: string;
            cause: components["schemas"]["Cause"];
            vars: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            into: string;
            owner: string;
            paused: boolean;
            /** Format: date-time */
            created_at: string;
            next_at: string | null;
            address: string;
            last?: components["schemas"]["FiringInfo"] | null;
            /** @default 0 */
            missed: number;
        };
        TriggerList: {
            triggers: components["schemas"]["TriggerInfo"][];
        };
        Trouble: {
            id: string;
            /** @default  */
            title: string;
            /** @default false */
            is_aside: boolean;
            /** @default  */
            interaction_id: string;
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            kind: "problem";
            problem: components["schemas"]["Problem"];
            /** @default false */
            is_warning: boolean;
            /** @default [] */
            path: string[];
            /** @default [] */
            retries: components["schemas"]["Retry"][];
        };
        TwoPlans: {
            old: components["schemas"]["GivenPlan"];
            new: components["schemas"]["GivenPlan"];
        };
        Upgrade: {
            plan_id: string;
            node: string[];
            block: string;
            used: string;
            newest: string;
            is_pinned: boolean;
            breaks: components["schemas"]["Break"][];
        };
        Usage: {
            /** @default 0 */
            calls: number;
            /** @default 0 */
            input_tokens: number;
            /** @default 0 */
            output_tokens: number;
            /** @default 0 */
            cost_usd: number | null;
        };
        UseRequest: {
            version: string;
            /** @default  */
            reason: string;
        };
        VendorChoice: {
            name: string;
            title: string;
            default_model: string;
            needs_address: boolean;
            takes_address: boolean;
            address: string;
            has_key: boolean;
        };
        Version: {
            version: string;
            in_use: boolean;
            how: ("logistic" | "isotonic") | null;
            labels: number;
            good: number;
            before: components["schemas"]["Figures"] | null;
            after: components["schemas"]["Figures"] | null;
            made_at: string | null;
            actor: string;
            reason: string;
            origin: components["schemas"]["Origin"];
        };
        VersionDetail: {
            plan_id: string;
            version: string;
            /** @enum {string} */
            state: "draft" | "in_review" | "approved" | "retired";
            author: string;
            digest: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            title: string;
            text: string;
            called: string[];
            vars: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            blocks: {
                [key: string]: string;
            };
            history: components["schemas"]["VersionEvent"][];
            findings: components["schemas"]["Finding"][];
            upgrades: components["schemas"]["Upgrade"][];
        };
        VersionEvent: {
            /** Format: date-time */
            time: string;
            actor: string;
            /** @enum {string} */
            kind: "saved" | "submit" | "approve" | "return" | "retire" | "imported";
            digest: string;
            /** @default  */
            comment: string;
            /** @default false */
            is_imported: boolean;
        };
        VersionInfo: {
            plan_id: string;
            version: string;
            /** @enum {string} */
            state: "draft" | "in_review" | "approved" | "retired";
            author: string;
            digest: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        VersionList: {
            versions: components["schemas"]["VersionInfo"][];
        };
        WhatIf: {
            thresholds: components["schemas"]["ThresholdsUsed"];
            in_force: components["schemas"]["ThresholdsUsed"];
            questions: components["schemas"]["WhatIfQuestion"][];
            levels: components["schemas"]["LevelCount"][];
            changed: number;
            file: string;
            lines: string;
        };
        WhatIfQuestion: {
            run_id: string;
            question: string;
            /** Format: date-time */
            time: string;
            score: number;
            score_then: number;
            /** @enum {string} */
            level: "silent" | "notify" | "confirm" | "escalate";
            /** @enum {string} */
            level_then: "silent" | "notify" | "confirm" | "escalate";
            answered: boolean;
            verdict: ("good" | "bad") | null;
        };
        WorkerSeen: {
            name: string;
            address: string;
            places: number;
            blocks: number;
            labels: {
                [key: string]: number;
            };
            busy: number;
            memory_mb: number;
            cpu_percent: number;
            silent_seconds: number;
        };
        WorkflowInfo: {
            name: string;
            title: string;
            description: string;
            requirements: components["schemas"]["Requirement"][];
            input_schema: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            result_schema: {
                [key: string]: components["schemas"]["JsonValue"];
            };
        };
        WorkflowList: {
            workflows: components["schemas"]["WorkflowInfo"][];
        };
        sanbo__runs__fields__Validation: {
            min?: number | string | null;
            max?: number | string | null;
            /** @default false */
            integer: boolean;
            min_length?: number | null;
            max_length?: number | null;
            pattern?: string | null;
            max_size_mb?: number | null;
            max_files?: number | null;
            min_rows?: number | null;
            max_rows?: number | null;
        };
        sanbo__service__plans__Validation: {
            valid: boolean;
            findings: components["schemas"]["Finding"][];
        };
        ArtifactMade: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "artifact";
            artifact: components["schemas"]["Artifact"];
        };
        Call: {
            provider: string;
            model: string;
            purpose: string;
            outcome: string;
            input_tokens: number;
            output_tokens: number;
            cost_usd: number | null;
            duration_ms: number;
        };
        InteractionAnswered: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "interaction_answered";
            interaction_id: string;
            answer: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            /** @default [] */
            masked: string[];
            by: string;
            /** @default  */
            sealed: string;
        };
        InteractionDue: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "interaction_due";
            interaction_id: string;
            /** Format: date-time */
            due_at: string;
            overdue: boolean;
        };
        InteractionOpen: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "interaction_open";
            key: string;
            interaction: components["schemas"]["Interaction"];
        };
        LoopIteration: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "loop_iteration";
            iteration: number;
            /** @default null */
            item: components["schemas"]["JsonValue"];
            /** @default null */
            of: number | null;
        };
        NodeComplete: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "node_complete";
            key: string;
            /** @default null */
            outputs: components["schemas"]["JsonValue"];
            /** @default false */
            masked: boolean;
            /** @default  */
            beside: string;
            /** @default [] */
            warnings: components["schemas"]["Problem"][];
            /** @default 0 */
            duration_ms: number;
        };
        NodeError: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "node_error";
            key: string;
            error: components["schemas"]["Problem"];
            /** @default 0 */
            retry: number;
            /** @default null */
            retry_in_ms: number | null;
            /** @default false */
            continued: boolean;
            /** @default 0 */
            duration_ms: number;
        };
        NodeSkipped: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "node_skipped";
            key: string;
            reason: string;
            /** @default  */
            condition: string;
        };
        NodeStart: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "node_start";
            key: string;
            /** @default  */
            title: string;
            /** @default  */
            block: string;
            /** @default 1 */
            attempt: number;
            /** @default  */
            checkpoint: string;
            /** @default  */
            edition: string;
        };
        RunComplete: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "run_complete";
            /** @enum {string} */
            status: "succeeded" | "failed" | "cancelled";
            /** @default null */
            result: {
                [key: string]: components["schemas"]["JsonValue"];
            } | null;
            /** @default null */
            problem: components["schemas"]["Problem"] | null;
            /** @default 0 */
            warnings: number;
            /** @default 0 */
            total_duration_ms: number;
        };
        RunStart: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "run_start";
            workflow: string;
            conversation_id: string;
            /** @default  */
            title: string;
            input: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            engine: components["schemas"]["Engine"];
            /** @enum {string} */
            language: "ja" | "en";
            owner: string;
            /** @default null */
            replay_of: components["schemas"]["ReplayOf"] | null;
            /** @default false */
            resumed: boolean;
            /** @default  */
            edition: string;
        };
        RunWaiting: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "run_waiting";
            seen: number;
        };
        TextDelta: {
            /** @default [] */
            calls: components["schemas"]["Call"][];
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            event: "text_delta";
            text: string;
            /** @default false */
            so_far: boolean;
        };
        Validation: {
            /** @default null */
            min: number | string | null;
            /** @default null */
            max: number | string | null;
            /** @default false */
            integer: boolean;
            /** @default null */
            min_length: number | null;
            /** @default null */
            max_length: number | null;
            /** @default null */
            pattern: string | null;
            /** @default null */
            max_size_mb: number | null;
            /** @default null */
            max_files: number | null;
            /** @default null */
            min_rows: number | null;
            /** @default null */
            max_rows: number | null;
        };
        Event: {
            run_id: string;
            seq: number | null;
            /** Format: date-time */
            time: string;
            path: string[];
            payload: components["schemas"]["RunStart"] | components["schemas"]["NodeStart"] | components["schemas"]["NodeComplete"] | components["schemas"]["NodeSkipped"] | components["schemas"]["NodeError"] | components["schemas"]["LoopIteration"] | components["schemas"]["InteractionOpen"] | components["schemas"]["InteractionAnswered"] | components["schemas"]["InteractionDue"] | components["schemas"]["ArtifactMade"] | components["schemas"]["TextDelta"] | components["schemas"]["RunWaiting"] | components["schemas"]["RunComplete"];
        };
        ProblemDocument: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            code: components["schemas"]["Code"];
            message: string;
            hint: string;
            details: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            input_snapshot: {
                [key: string]: components["schemas"]["JsonValue"];
            };
            recoverable: boolean;
        };
        SearchedQuery: {
            text: string;
            cycle: number;
            hits: number;
            new: number;
            /** @default false */
            cached: boolean;
        };
        Sentence: {
            text: string;
            citations: number[];
            /** @default  */
            problem: string;
        };
        ResearchResult: {
            question: string;
            collection: string;
            session: string;
            report_md: string;
            answered: boolean;
            summary: components["schemas"]["Sentence"][];
            findings: components["schemas"]["Finding"][];
            disagreements: components["schemas"]["Sentence"][];
            gaps: string[];
            /** @default [] */
            nearest: components["schemas"]["Sentence"][];
            citations: components["schemas"]["Citation"][];
            cycles: number;
            /** @enum {string} */
            stop_reason: "sufficient" | "max_cycles" | "no_new_queries" | "nothing_found" | "decide_timeout" | "decide_failed";
            queries: components["schemas"]["SearchedQuery"][];
            partial: boolean;
            /** @default  */
            partial_reason: string;
            /** @default 0 */
            refused: number;
            /** @default 0 */
            marked: number;
        };
        FoundPassage: {
            id: string;
            chunk_id: string;
            document: string;
            page: number | null;
            /** @default null */
            sheet: string | null;
            relevance: number;
            beginning: string;
        };
        RetrieveStep: {
            cycle: number;
            sub_questions: string[];
            queries: components["schemas"]["SearchedQuery"][];
            passages: components["schemas"]["FoundPassage"][];
            passages_in_all: number;
            /** @default  */
            problem: string;
        };
        DecideStep: {
            cycle: number;
            enough: boolean;
            reason: string;
            /** @default [] */
            missing: string[];
            /** @default [] */
            next_queries: string[];
            stop_reason: ("sufficient" | "max_cycles" | "no_new_queries" | "nothing_found" | "decide_timeout" | "decide_failed") | null;
            /** @enum {string} */
            decided_by: "rules" | "model";
        };
        AnswerStep: {
            answered: boolean;
            partial: boolean;
            partial_reason: string;
            citations: number;
            refused: number;
            marked: number;
            characters: number;
            /** @default  */
            reason: string;
            /** @default [] */
            next_queries: string[];
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    check_health: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Health"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    check_readiness: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Readiness"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_checks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Checks"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_about: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["About"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_engine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    choose_engine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EngineChoice"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    test_engine: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["EngineChoice"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["EngineTest"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_runs: {
        parameters: {
            query?: {
                workflow?: string | null;
                status?: components["schemas"]["Status"] | null;
                conversation_id?: string | null;
                containing?: string;
                before?: string | null;
                limit?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunPage"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    start_run: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewRun"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    delete_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_parts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RunParts"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    download_report: {
        parameters: {
            query?: {
                format?: "md" | "docx" | "xlsx" | "html";
                inline?: boolean;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    cancel_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    prune_runs: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Pruning"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Prunable"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_correction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CorrectionFound"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    resume_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["Corrected"] | null;
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    replay_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Corrected"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    follow_events: {
        parameters: {
            query?: {
                after?: number;
                parts?: boolean;
            };
            header?: {
                "last-event-id"?: string;
            };
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": components["schemas"]["Event"];
                };
            };
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    read_journal: {
        parameters: {
            query?: {
                after?: number;
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/x-ndjson": components["schemas"]["Event"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_interactions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Interactions"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    answer_interaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                interaction_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    answer_run: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: unknown;
                };
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Draft"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    keep_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    [key: string]: components["schemas"]["JsonValue"];
                };
            };
        };
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    reset_draft: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    download_artifact: {
        parameters: {
            query?: {
                inline?: boolean;
            };
            header?: never;
            path: {
                run_id: string;
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "*/*": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    upload_file: {
        parameters: {
            query?: {
                name?: string;
                workflow?: string;
            };
            header?: {
                "x-file-name"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    /** Format: binary */
                    file: string;
                };
                "application/octet-stream": string;
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FileRef"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_collections: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_collection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CollectionInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    delete_collection: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_documents: {
        parameters: {
            query?: {
                containing?: string;
                offset?: number;
                limit?: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DocumentPage"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    index_documents: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDocuments"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Outcomes"];
                    /**
                     * @example event: outcome
                     *     data: {"name": "a.pdf", "status": "added"}
                     *
                     *     event: done
                     *     data: {"added": 1}
                     */
                    "text/event-stream": string;
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    remove_document: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                document_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    search_collection: {
        parameters: {
            query: {
                q: string;
                limit?: number;
                folder?: string[];
                format?: ("pdf" | "docx" | "xlsx" | "pptx" | "csv" | "markdown" | "html" | "text" | "eml" | "json")[];
                document?: string[];
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Hits"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_place: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
                chunk_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FoundPlace"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    preview_table: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TablePreview"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    change_reading: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReadingRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ReadingForm"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_comparison: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_notes: {
        parameters: {
            query: {
                session: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NoteList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    delete_notes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                session: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Deleted"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_citation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CitationPlace"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_calibration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalibrationReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    try_thresholds: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ProposedThresholds"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WhatIf"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    fit_calibration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["FitRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalibrationReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    use_calibration: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UseRequest"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CalibrationReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FeedbackFound"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    give_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Judgement"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Heard"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    withdraw_feedback: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Heard"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_source: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                run_id: string;
                number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CitationPlace"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    save_plan_version: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVersion"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    import_plan_versions: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Imported"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    compare_plans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoPlans"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanDiff"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    draw_plan_diff: {
        parameters: {
            query?: {
                format?: "svg" | "png" | "mermaid";
                direction?: "down" | "right";
                theme?: "auto" | "light" | "dark";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["TwoPlans"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_plan_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    export_plan_versions: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_plan_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    decide_plan_version: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
                version: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenDecision"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["VersionDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    save_preset: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPreset"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresetInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_presets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PresetList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    remove_preset: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_plans: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DesignList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    save_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewDesign"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DesignDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    validate_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenPlan"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["sanbo__service__plans__Validation"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    dry_run_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenPlan"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DryRunReport"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    draw_run: {
        parameters: {
            query?: {
                format?: "svg" | "png" | "mermaid";
                direction?: "down" | "right";
                theme?: "auto" | "light" | "dark";
            };
            header?: never;
            path: {
                run_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    rename_node: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Renaming"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanTextShown"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    group_nodes: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Grouping"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Grouped"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    migrate_plan: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenPlan"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Migrated"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    draw_plan: {
        parameters: {
            query?: {
                format?: "svg" | "png" | "mermaid";
                direction?: "down" | "right";
                theme?: "auto" | "light" | "dark";
            };
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_plan_parts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PlanParts"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    run_plan_sample: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_plan: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                plan_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DesignDetail"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_triggers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    add_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenTrigger"];
            };
        };
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedTrigger"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    get_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    change_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["GivenTrigger"];
            };
        };
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AddedTrigger"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    remove_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    pause_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    resume_trigger: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TriggerInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    trigger_history: {
        parameters: {
            query?: {
                limit?: number;
            };
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FiringList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    call_hook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                trigger_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["HookAnswer"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_blocks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["BlockCatalogue"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    list_workflows: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowList"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_workflow: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkflowInfo"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    run_sample: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Run"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
    show_cluster: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ClusterStatus"];
                };
            };
            default: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemDocument"];
                };
            };
        };
    };
}
