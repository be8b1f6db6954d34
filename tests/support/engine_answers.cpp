// SPDX-License-Identifier: Apache-2.0
#include "tests/support/engine_answers.hpp"

namespace headway::tests {
namespace {

class Captured final : public server::Answers {
public:
    std::optional<core::Result<Answer>> what;

    void respond(const server::ReplyTo&, const server::Response& response) override {
        BodyReply body;
        body.status = response.status;
        body.body = response.body;
        body.headers = response.headers;
        body.lines = response.content_type == "application/x-ndjson";
        what = Answer{std::move(body)};
    }
    void refuse(const server::ReplyTo&, const core::Error& error,
                api::ProblemMember more) override {
        if (more.name.empty()) {
            what = error;
            return;
        }
        BodyReply body;
        body.status = 409;
        body.body = more.json;
        body.lost = error;
        what = Answer{std::move(body)};
    }
    void advise(const server::ReplyTo&, const server::Advised& advised) override {
        what = Answer{advised};
    }
    void show(const server::ReplyTo&, server::DocumentReply document) override {
        what = Answer{std::move(document)};
    }
    void stream(const server::ReplyTo&, server::StreamReply page) override {
        what = Answer{std::move(page)};
    }
    void hook(const server::ReplyTo&, server::HookAnswered answered) override {
        what = Answer{std::move(answered)};
    }
    void view(const std::string& session, core::Result<const core::SessionView*> found) override {
        ViewReply reply;
        reply.session = session;
        if (!found) {
            reply.error = found.error();
        } else if (*found != nullptr) {
            reply.view = std::make_unique<core::SessionView>(**found);
        }
        what = Answer{std::move(reply)};
    }
};

class Canned final : public server::Task {
public:
    explicit Canned(core::Result<Answer> what) : what_(std::move(what)) {}

    void answer(server::Answers& on, const server::ReplyTo& to) override {
        if (!what_) return on.refuse(to, what_.error());
        if (auto* advised = std::get_if<AdviceReply>(&*what_)) return on.advise(to, *advised);
        if (auto* page = std::get_if<StreamReply>(&*what_)) return on.stream(to, std::move(*page));
        if (auto* document = std::get_if<DocumentReply>(&*what_))
            return on.show(to, std::move(*document));
        if (auto* hook = std::get_if<HookAnswered>(&*what_)) return on.hook(to, std::move(*hook));
        if (auto* view = std::get_if<ViewReply>(&*what_))
            return view->error ? on.view(view->session, *view->error)
                               : on.view(view->session, view->view.get());
        auto& body = std::get<BodyReply>(*what_);
        if (body.lost) return on.refuse(to, *body.lost, {"winner", body.body});
        server::Response response;
        response.status = body.status;
        response.body = body.body;
        response.headers = body.headers;
        if (body.lines) response.content_type = "application/x-ndjson";
        on.respond(to, response);
    }

private:
    core::Result<Answer> what_;
};

}  // namespace

Reply reply_of(const server::Answered& answered) {
    Captured captured;
    answered.task->answer(captured, answered.to);
    if (!captured.what) return {answered.to, Answer{BodyReply{}}};
    return {answered.to, *std::move(captured.what)};
}

server::Answered answered(const server::ReplyTo& to, core::Result<Answer> what) {
    return {to, std::make_unique<Canned>(std::move(what))};
}

}  // namespace headway::tests
